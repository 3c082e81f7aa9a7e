# SPDX-License-Identifier: Apache-2.0
"""tl.extra.libdevice: functions of elements."""

from ..._functions import TABLE as _TABLE
from ..._functions.library import conversions as _conversions

is_triton_language = True
globals().update({**_TABLE, **_conversions()})

from ._numbers import *  # noqa: E402,F401,F403  these call the functions above
from ._special import *  # noqa: E402,F401,F403
