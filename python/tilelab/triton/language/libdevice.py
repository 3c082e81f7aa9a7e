# SPDX-License-Identifier: Apache-2.0
"""tl.libdevice: where Triton 2 has the functions of tl.extra.libdevice."""

from .extra.libdevice import *  # noqa: F401,F403
from .extra.libdevice import is_triton_language  # noqa: F401
