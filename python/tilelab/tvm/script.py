# SPDX-License-Identifier: Apache-2.0
"""`from tvm.script import tirx as T`: functions of the language, as far as it has them."""

from . import tirx
from ..names import attributes as _attributes

__path__ = []
tir = tirx

__all__ = ["tir", "tirx"]
__getattr__ = _attributes(__name__)
