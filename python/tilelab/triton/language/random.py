# SPDX-License-Identifier: Apache-2.0
"""triton.language.random: the names of triton.language."""

from . import *  # noqa: F403
from . import is_triton_language  # noqa: F401
