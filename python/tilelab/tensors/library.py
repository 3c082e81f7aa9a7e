# SPDX-License-Identifier: Apache-2.0
"""The library of tensors: torch's where torch is installed, else tilelab's own; and the device that new tensors are on."""

import functools
import importlib.util
import os

from .._compiler import settings
from .._compiler.errors import UsageError
from .._compiler.messages import message
from .._gpu import devices


@functools.lru_cache(None)
def torch_or_none():
    """torch if tensors are torch's. TILELAB_TENSORS=tilelab chooses tilelab's own."""
    if os.environ.get("TILELAB_TENSORS") == "tilelab" or importlib.util.find_spec("torch") is None:
        return None
    import torch

    return torch


def gpu():
    """The GPU that new tensors are on, or None for host memory: a worker process copies tensors from there."""
    found = devices.chosen()
    return None if found is None or (found.in_worker and torch_or_none()) else found


def current_device():
    """The device of new tensors: a GPU if kernels run on one, otherwise "cpu", whose memory the simulator uses."""
    name = "cpu" if (found := gpu()) is None else str(found)
    torch = torch_or_none()
    return name if torch is None else torch.device(name)


def set_device(device):
    """Chooses the device of new tensors and of kernels.

    `device`: "cuda:1", "musa", "cpu", "sim", "auto", an index on the current vendor's GPUs, or a torch.device. The same setting as
    %device. UsageError for other names, and for a GPU that this machine lacks."""
    name = str(device)
    if isinstance(device, int):
        name = f"{(devices.chosen() or devices.Gpu('cuda', 0)).vendor}:{device}"
    chosen = devices.gpu(name)
    known = name.partition(":")[0] in ("cpu", "sim", "auto")
    if chosen is None and not known or chosen is not None and devices.present(chosen.vendor.partition(":")[0]) <= chosen.number:
        raise UsageError(message("device-absent", repr(name), "tensors cannot be placed on it",
                                 help='use "auto", "sim", "cpu", or a GPU of this machine: "cuda", "cuda:1", "musa", ...'))
    settings.device = name
    torch = torch_or_none()
    of_vendor = None if torch is None or chosen is None else getattr(torch, chosen.vendor, None)
    if of_vendor is not None:
        of_vendor.set_device(chosen.number)
