# SPDX-License-Identifier: Apache-2.0
"""import triton.language as tl: the functions, dtypes and types of the language."""

import types as _types_module

from .. import _types
from .._functions import TABLE
from .._functions.blocks import TensorDescriptor
from .._graph import Tensor as tensor
from .._types import BlockType as block_type, PointerType as pointer_type, constexpr, constexpr_type
from .._types import DType as dtype

is_triton_language = True
PropagateNan = _types_module.SimpleNamespace(NONE="NONE", ALL="ALL")
TRITON_MAX_TENSOR_NUMEL = 1048576
const = type("const", (), {"__doc__": "An annotation: a pointer through which a kernel does not store."})
tensor_descriptor = tensor_descriptor_type = TensorDescriptor

__all__ = ["block_type", "constexpr", "constexpr_type", "dtype", "pointer_type", "tensor", *sorted({*TABLE, *_types.ALL} - {"constexpr"})]
globals().update({name: one for name, one in TABLE.items() if name not in ("constexpr",)})
globals().update(_types.ALL)
pi32_t = pointer_type(_types.int32)


def get_int_dtype(bitwidth, signed):
    """The integer dtype with that many bits."""
    return _types.ALL[f"{'int' if signed else 'uint'}{bitwidth}" if bitwidth > 1 else "int1"]


def __getattr__(name):
    if name in ("math", "extra", "libdevice", "standard", "core", "random"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"triton.language has no {name} in tilelab", name=name)
