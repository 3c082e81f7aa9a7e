# SPDX-License-Identifier: Apache-2.0
from . import driver

__all__ = ["driver"]
