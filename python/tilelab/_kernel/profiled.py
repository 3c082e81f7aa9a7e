# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels as ranges in the traces of torch.profiler, and in those of Nsight Systems under torch.autograd.profiler.emit_nvtx()."""

import sys

_profiler = None  # torch.autograd.profiler, once a program has imported torch


def _find():
    global _profiler
    module = sys.modules.get("torch.autograd.profiler")
    _profiler = module if hasattr(module, "_is_profiler_enabled") else None
    return _profiler


def active():
    """Whether a profiler of torch records. Torch may be imported after the kernel's first calls."""
    profiler = _profiler or _find()
    return profiler is not None and profiler._is_profiler_enabled


def recorded(name):
    """The range of a call."""
    return _profiler.record_function(f"tilelab::{name}")
