# SPDX-License-Identifier: Apache-2.0
"""The part of TileLang's carver that kernels use to size a grid: `from tilelang.carver.arch import driver`."""

from ..names import attributes as _attributes

__getattr__ = _attributes(__name__)
