# SPDX-License-Identifier: Apache-2.0
"""The dtypes alone: `from tilelang.language import dtypes as T`."""

from .._compiler import dtypes as _dtypes
from .._compiler.dtypes import dtype

_names = _dtypes.names()
__all__ = ["dtype", *_names, "is_float4", "is_float4_e2m1fn", "is_float4_e2m1_unpacked", "resolve_torch_storage_dtype"]

for _name, _target in _names.items():
    globals()[_name] = dtype(_target)


def is_float4_e2m1fn(value):
    """Whether it has four bits, two elements per byte."""
    return dtype(value).is_float4_e2m1fn()


def is_float4_e2m1_unpacked(value):
    return dtype(value).is_float4_e2m1_unpacked()


def is_float4(value):
    return dtype(value).is_float4()


def resolve_torch_storage_dtype(value):
    """The dtype of torch's storage: int8 for int4 and for float4_e2m1fn pairs."""
    return dtype(dtype(value).as_torch())


_all_dtypes = tuple(_names)  # for TileLang's own tests


def __getattr__(name):
    if name != "_TORCH_DTYPE_TO_STR":  # as programs that compress sparse matrices import it
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import torch

    return {kind: name for name in _names if isinstance(kind := getattr(torch, name, None), torch.dtype)}
