# SPDX-License-Identifier: Apache-2.0
"""triton.language.standard: the names of triton.language, and helpers that kernels import."""

from . import *  # noqa: F403
from . import get_int_dtype, is_triton_language  # noqa: F401


def _log2(i):
    return i.bit_length() - 1


def _is_power_of_two(i):
    return i & (i - 1) == 0 and i != 0
