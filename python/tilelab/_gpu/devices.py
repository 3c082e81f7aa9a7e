# SPDX-License-Identifier: Apache-2.0
"""Selects the GPU and stream of a kernel."""

import atexit
import functools
import glob
import os
import sys
from typing import NamedTuple

from .. import _core
from .._compiler import settings

_VENDORS = {"mp_": "musa", "sm_": "cuda"}  # by prefix of the target; `auto` tries them in this order
_WORKER = "cuda:worker"  # an NVIDIA GPU used by a separate process, which a kernel may crash


class Gpu(NamedTuple):
    """A GPU of this machine and its driver; `str` is torch's name for one of this process."""

    vendor: str
    number: int

    def __str__(self):
        return self.vendor if self.in_worker and not self.number else f"{self.vendor}:{self.number}"

    @property
    def in_worker(self):
        """Whether another process owns its memory: this process only copies."""
        return self.vendor == _WORKER


def gpu(name):
    """The Gpu of a device name ("cuda:0", "cuda:worker"); None for other names."""
    if name == _WORKER or name.startswith(_WORKER + ":"):
        return Gpu(_WORKER, int(name[len(_WORKER) + 1:] or 0))
    vendor, _, number = name.partition(":")
    return Gpu(vendor, int(number or 0)) if vendor in _VENDORS.values() else None


def present(vendor="cuda"):
    """The number of GPUs that a vendor's driver finds."""
    return _core.gpu.count(vendor)[0]


def chosen():
    """The Gpu of %device, or None. `auto` is the first one found."""
    if settings.device == "auto":
        return next((Gpu(vendor, 0) for vendor in _VENDORS.values() if present(vendor)), None)
    return gpu(settings.device)


def target(vendor=""):
    """The target of the chosen GPU, or of the vendor's first one; None without a GPU, or if no code is generated for it."""
    found = chosen()
    if vendor and (found is None or found.vendor.partition(":")[0] != vendor):
        found = Gpu(vendor, 0) if present(vendor) else None
    if found is None:
        return None
    _start_compiler(found)
    return _core.gpu.device(*found)[2]


def expect_calls():
    """Called when a kernel is defined: starts the compiler early if torch already uses a GPU that is likely to run it."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if settings.target in ("auto", "cuda") and cuda is not None and cuda.is_initialized():
        found = chosen()
        if found is not None and found.vendor == "cuda":
            _start_compiler(found)


def runs(kernel_target):
    """The Gpu that runs kernels for that target, or None. If %device names a GPU it gets all calls, and rejects those that it can't run."""
    if settings.device != "auto":
        return gpu(settings.device)
    vendor = _VENDORS.get(kernel_target[:3])
    first = Gpu(vendor, 0) if vendor and present(vendor) else None
    return first if first and _core.gpu.can_run(kernel_target, *first) else None


def stream(gpu):
    """torch's current stream if torch uses the GPU; otherwise the default stream."""
    torch = None if gpu.in_worker else sys.modules.get("torch")
    of_vendor = getattr(torch, gpu.vendor, None) if torch else None
    if of_vendor is None or not of_vendor.is_initialized():
        return 0
    if gpu.vendor == "musa":
        return of_vendor.current_stream(gpu.number).musa_stream
    current = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return current(gpu.number) if current else of_vendor.current_stream(gpu.number).cuda_stream


@functools.lru_cache(None)
def _start_compiler(gpu):
    """Runs concurrently with the work before a kernel's first call."""
    find_compiler()
    atexit.register(_core.gpu.finish_compiler_start)
    _core.gpu.start_compiler(*gpu)


@functools.lru_cache(None)
def find_compiler():
    """Gives the runtime the paths of NVRTC in Python packages."""
    found = []
    for folder in sys.path:
        found += glob.glob(os.path.join(folder or ".", "nvidia", "*", "lib", "libnvrtc.so.*"))
    _core.gpu.add_nvrtc_paths(sorted(found, reverse=True))
