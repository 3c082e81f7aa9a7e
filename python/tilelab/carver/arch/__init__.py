# SPDX-License-Identifier: Apache-2.0
from ...names import attributes as _attributes
from . import driver

__all__ = ["driver"]
__getattr__ = _attributes(__name__)
