# SPDX-License-Identifier: Apache-2.0
"""The device of a program's tensors."""

import os

from ..names import attributes as _attributes

__all__ = ["get_available_cpu_count", "get_current_device", "synchronize"]
__getattr__ = _attributes(__name__)


def get_current_device():
    """The index of torch's current GPU, or of the simulated one."""
    import torch

    return torch.cuda.current_device() if torch.cuda.is_available() else None


def synchronize():
    """Waits for a real GPU; simulated kernels end before their call returns."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()


def get_available_cpu_count():
    return max(1, len(os.sched_getaffinity(0)))
