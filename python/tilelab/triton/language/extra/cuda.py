# SPDX-License-Identifier: Apache-2.0
"""tl.extra.cuda."""

from . import libdevice  # noqa: F401
