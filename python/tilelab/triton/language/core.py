# SPDX-License-Identifier: Apache-2.0
"""triton.language.core: the names of triton.language."""

from . import *  # noqa: F403
from . import get_int_dtype, is_triton_language  # noqa: F401
from .._types import unwrapped as _unwrap_if_constexpr  # noqa: F401

CONSTEXPR_0 = constexpr(0)  # noqa: F405


def builtin(function):
    """Decorates a Python function that kernels call: its arguments that are known when a kernel is compiled are of class constexpr."""
    function.__triton_builtin__ = True
    return function
