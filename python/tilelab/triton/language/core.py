# SPDX-License-Identifier: Apache-2.0
"""triton.language.core: the names of triton.language."""

from . import *  # noqa: F403
from . import get_int_dtype, is_triton_language  # noqa: F401

CONSTEXPR_0 = constexpr(0)  # noqa: F405
