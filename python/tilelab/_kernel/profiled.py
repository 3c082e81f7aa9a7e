# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels as ranges in the traces of torch.profiler, and in those of Nsight Systems under torch.autograd.profiler.emit_nvtx()."""

import sys

_profiler = None  # torch.autograd.profiler, once a program has imported torch


def find():
    global _profiler
    module = sys.modules.get("torch.autograd.profiler")
    _profiler = module if hasattr(module, "_is_profiler_enabled") else None


def active():
    """Whether a profiler of torch records."""
    return _profiler is not None and _profiler._is_profiler_enabled


def recorded(name):
    """The range of a call."""
    return _profiler.record_function(f"tilelab::{name}")
