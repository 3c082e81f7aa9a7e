# SPDX-License-Identifier: Apache-2.0
"""Modules of kernels, as far as TileLang programs use them: `IRModule({"main": func})`."""

from ..names import attributes as _attributes
from .tirx import PrimExpr

__all__ = ["IRModule", "PrimExpr"]
__path__ = []  # submodules are absent names
__getattr__ = _attributes(__name__)


class IRModule(dict):
    """Kernels by name; `tilelang.lower` takes one with a single kernel."""

    @classmethod
    def from_expr(cls, func):
        return cls({func.name: func})
