# SPDX-License-Identifier: Apache-2.0
"""The part of TileLang's backends that programs use: the target of kernels."""

from ..names import attributes as _attributes

__getattr__ = _attributes(__name__)
