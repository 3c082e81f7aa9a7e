# SPDX-License-Identifier: Apache-2.0
"""tl.extra.libdevice: functions of elements."""

from ..._functions import TABLE as _TABLE

is_triton_language = True
globals().update(_TABLE)
