# SPDX-License-Identifier: Apache-2.0
"""Of TileLang's backends, what programs ask for: which target kernels are made for."""

from ..names import attributes as _attributes

__getattr__ = _attributes(__name__)
