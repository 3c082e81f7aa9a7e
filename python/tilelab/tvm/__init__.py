# SPDX-License-Identifier: Apache-2.0
"""The names of TVM that TileLang programs use, `from tilelang import tvm`: Target, PassContext, DataType (the language's dtype), errors
(tilelab's) and functions of TVM's IR (the language's). Every other name is a stand-in that raises on use."""

import importlib as _importlib

from .._compiler.dtypes import dtype as DataType
from .._compiler.errors import CompileError as TVMError
from . import error, target, transform

_LATER = ("ir", "script", "te", "testing", "tir", "tirx", "arith", "tl", "runtime", "contrib", "ffi")

__all__ = ["DataType", "IRModule", "TVMError", "error", "ir", "script", "target", "te", "testing", "tir", "tirx", "transform"]


def __getattr__(name):
    if name in _LATER:
        return _importlib.import_module(f"{__name__}.{name}")
    if name == "IRModule":
        return _importlib.import_module(f"{__name__}.ir").IRModule
    raise AttributeError(f"module 'tvm' has no attribute {name!r}: there is no TVM in tilelab")
