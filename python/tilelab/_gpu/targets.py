# SPDX-License-Identifier: Apache-2.0
"""Names of targets."""

from .. import _core
from .._compiler import settings
from .._compiler.errors import UsageError
from .._compiler.messages import message

# TVM's names of GPUs, the part after "nvidia/".
_TAGS = {"nvidia-a100": "sm_80", "nvidia-a30": "sm_80", "nvidia-a40": "sm_86", "nvidia-a10": "sm_86", "geforce-rtx-3090": "sm_86",
         "geforce-rtx-4090": "sm_89", "nvidia-l4": "sm_89", "nvidia-l40": "sm_89", "nvidia-h100": "sm_90a", "nvidia-h200": "sm_90a"}


def _spelled(target):
    """One text for the forms of a target: a name, a dict, a dict as JSON, TVM's tag of a GPU."""
    text = str(target).strip()
    if isinstance(target, str) and text[:1] == "{":
        import json  # not at the import of tilelab, which is measured

        try:
            target = json.loads(text)
        except ValueError:
            return text
    if isinstance(target, dict):
        kind, arch = target.get("kind", "cuda" if str(target.get("arch", ""))[:3] == "sm_" else ""), target.get("arch")
        if not kind and "tag" not in target:
            raise UsageError(message("target-unknown", repr(text), "its dict has no `kind`", help='write {"kind": "cuda", "arch": "sm_90a"}'))
        text = str(target["tag"]) if not kind else f"{kind} -arch={arch}" if arch else kind
    vendor, _, name = text.partition("/")
    return f"cuda -arch={_TAGS[name]}" if vendor == "nvidia" and name in _TAGS else text


def target_name(target):
    """tilelab's target for any of TileLang's spellings; `auto` is the setting of %target, or the target of the device."""
    spelled = _spelled(target) if target is not None else "auto"
    if spelled == "auto":
        spelled = _spelled(settings.target)
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
