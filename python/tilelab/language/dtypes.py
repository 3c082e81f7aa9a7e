# SPDX-License-Identifier: Apache-2.0
"""The dtypes alone: `from tilelang.language import dtypes as T`."""

from .. import _dtypes
from .._dtypes import dtype

__all__ = ["dtype", *_dtypes.names()]

for _name, _target in _dtypes.names().items():
    globals()[_name] = dtype(_target)
