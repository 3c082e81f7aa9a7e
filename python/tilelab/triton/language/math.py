# SPDX-License-Identifier: Apache-2.0
"""tl.math: functions of elements by the names of Triton's language."""

from .._functions import TABLE as _TABLE

is_triton_language = True
globals().update(_TABLE)
