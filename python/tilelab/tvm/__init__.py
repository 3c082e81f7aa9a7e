# SPDX-License-Identifier: Apache-2.0
"""The few names of TVM that TileLang programs use, `from tilelang import tvm`. There is no TVM
here: a Target chooses tilelab's target for the kernels made inside of it, a PassContext gives
them pass configurations, DataType is the language's dtype, errors are tilelab's."""

from .._compiler.dtypes import dtype as DataType
from .._compiler.errors import CompileError as TVMError
from . import error, target, transform

__all__ = ["DataType", "TVMError", "error", "target", "transform"]
