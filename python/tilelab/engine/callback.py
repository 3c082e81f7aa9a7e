# SPDX-License-Identifier: Apache-2.0
"""Callbacks that change the generated code before it is shown or compiled: `f(code, target) -> code`."""

from .._kernel.code_callbacks import *  # noqa: F401,F403
from .._kernel.code_callbacks import __all__  # noqa: F401
