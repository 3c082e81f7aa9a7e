# SPDX-License-Identifier: Apache-2.0
"""Which GPU runs a kernel, and in which stream."""

import functools
import glob
import os
import sys

from .. import _core
from .._compiler import settings


def present():
    """How many GPUs a driver finds here."""
    return _core.gpu.count()[0]


def chosen():
    """The number of the GPU that %device means; None where it means none. `auto` is the first GPU."""
    name, _, number = settings.device.partition(":")
    if name == "cuda" or name == "auto" and present():
        return int(number or 0)
    return None


def target():
    """The target of the chosen GPU; None where there is none, or nothing is written for it."""
    number = chosen()
    return None if number is None else _core.gpu.device(number)[2]


def runs(kernel_target):
    """Whether calls of kernels for that target go to the chosen GPU. Where %device names a GPU they all
    do, and are refused there if it can't run them."""
    number = chosen()
    if number is None:
        return False
    if settings.device != "auto":
        return True
    return kernel_target.startswith("sm_") and _core.gpu.can_run(kernel_target, number)


def stream(number):
    """torch's current stream where torch uses the GPU; else the default one."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return 0
    current = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return current(number) if current else torch.cuda.current_stream(number).cuda_stream


@functools.lru_cache(None)
def find_compiler():
    """Tells the runtime where packages of Python keep NVRTC."""
    found = []
    for folder in sys.path:
        found += glob.glob(os.path.join(folder or ".", "nvidia", "*", "lib", "libnvrtc.so.*"))
    _core.gpu.look_for_nvrtc_in(sorted(found, reverse=True))
