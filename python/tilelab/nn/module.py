# SPDX-License-Identifier: Apache-2.0
"""The base class of layers: torch's, where torch is installed."""

import importlib.util

torch = None
if importlib.util.find_spec("torch") is not None:
    import torch


def _needs_torch(name):
    raise ImportError(f"tilelab.nn.{name} is a layer of torch, which is not installed; use the operators of tilelab.ops on arrays")


class Module(torch.nn.Module if torch else object):
    """A layer. Without torch its classes can be imported, but not instantiated."""

    def __init__(self):
        if torch is None:
            _needs_torch(type(self).__name__)
        super().__init__()

    def parameter(self, *shape, value=None, std=None, device=None, dtype=None):
        """A parameter with equal elements, or normal ones with this standard deviation."""
        made = torch.empty(shape, device=device, dtype=dtype)
        return torch.nn.Parameter(torch.nn.init.normal_(made, std=std) if value is None else torch.nn.init.constant_(made, value))


class Optimizer(torch.optim.Optimizer if torch else object):
    """An optimizer. Without torch its classes can be imported, but not instantiated."""

    def __init__(self, params, defaults):
        if torch is None:
            _needs_torch(type(self).__name__)
        super().__init__(params, defaults)
