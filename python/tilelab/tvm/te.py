# SPDX-License-Identifier: Apache-2.0
"""`tvm.te.var("n")`: a dynamic extent."""

from ..names import attributes as _attributes
from .tirx import Var

__all__ = ["size_var", "var"]
__path__ = []
__getattr__ = _attributes(__name__)


def var(name="tindex", dtype="int32"):
    """Same as T.dynamic."""
    return Var(name, dtype)


size_var = var
