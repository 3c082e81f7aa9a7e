# SPDX-License-Identifier: Apache-2.0
"""Names of targets."""

from .. import _core
from .._compiler import settings
from .._compiler.errors import UsageError
from .._compiler.messages import message


def target_name(target):
    """tilelab's target for any of TileLang's spellings; `auto` is the setting of %target, or the target of the device."""
    if isinstance(target, dict):
        target = f"{target['kind']} -arch={target['arch']}" if target.get("arch") else target["kind"]
    spelled = str(target if target is not None else "auto")
    if spelled == "auto":
        spelled = settings.target
    if spelled in ("auto", "cuda", "musa"):
        # Query the device only when needed: a driver starts slowly.
        from . import devices

        found = devices.target("" if spelled == "auto" else spelled)
        if found or spelled == "auto":
            return found or ("cpu" if settings.device == "cpu" else "mp_31")
    name, problem = _core.parse_target(spelled)
    if not name:
        raise UsageError(message("target-unknown", repr(spelled), problem, help="use a name that %target or --target completes"))
    return name
