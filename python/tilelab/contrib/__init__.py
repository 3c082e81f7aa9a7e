# SPDX-License-Identifier: Apache-2.0
"""TileLang's foreign compilers. Of them, what programs ask about a target: contrib.nvcc."""

from ..names import attributes as _attributes
from . import nvcc

__all__ = ["nvcc"]
__getattr__ = _attributes(__name__)
