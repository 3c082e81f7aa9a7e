# SPDX-License-Identifier: Apache-2.0
"""The dtypes alone: `from tilelang.language import dtypes as T`."""

from .._compiler import dtypes as _dtypes
from .._compiler.dtypes import dtype

_names = _dtypes.names()
__all__ = ["dtype", *_names]

for _name, _target in _names.items():
    globals()[_name] = dtype(_target)

_all_dtypes = tuple(_names)  # TileLang's own tests ask for it
