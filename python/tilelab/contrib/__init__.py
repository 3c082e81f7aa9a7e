# SPDX-License-Identifier: Apache-2.0
"""The part of TileLang's foreign compilers that programs use to query a target: contrib.nvcc."""

from ..names import attributes as _attributes
from . import nvcc

__all__ = ["nvcc"]
__getattr__ = _attributes(__name__)
