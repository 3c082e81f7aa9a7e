# SPDX-License-Identifier: Apache-2.0
"""Operators on tensors: `tilelab.ops.softmax(x)`, or `tilelang.softmax(x)`. Each is one file, or a formula of one, which reads as a lesson."""

import importlib

from .._gpu import array_protocol
from .table import FAMILIES, FAMILY_OF, MODULE_OF

__all__ = ["FAMILIES", "names", *sorted(FAMILY_OF)]


def _on_gpu(name):
    """An operator that is imported when an array of a GPU first computes with it."""
    return lambda x, y: __getattr__(name)(x, y)


array_protocol.binary.update({name: _on_gpu(name) for name in ("add", "sub", "mul", "div", "gemm")})


def names():
    """The names of all operators, by family and in the order of the table."""
    return list(FAMILY_OF)


def module_of(name):
    """The module that defines an operator."""
    return importlib.import_module(f"{__name__}.{MODULE_OF[name]}")


def define(name):
    """Defines the operator of torch.library with this name, and others; where no operator has the name, all that there are."""
    for one in (name,) if name in FAMILY_OF else FAMILY_OF:
        module_of(one)


def __getattr__(name):
    if name not in FAMILY_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(module_of(name), name)
    return found


def __dir__():
    return sorted({*globals(), *FAMILY_OF})
