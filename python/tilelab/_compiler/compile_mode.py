# SPDX-License-Identifier: Apache-2.0
"""Whether kernels may be compiled at run time: `TILELAB_COMPILE` and tilelab.set_compile_mode."""

import os

from .. import _core
from .errors import UsageError
from .messages import message

MODES = {
    "on": "kernels are compiled when they are needed",
    "cached": "machine code is only taken from the cache of earlier runs",
    "off": "no kernel is compiled: those made before can be called",
}
_VARIABLE = "TILELAB_COMPILE"
_current = "on"


def set_compile_mode(mode):
    """Sets whether this process may compile kernels, and returns the mode before: "on", "cached" or "off".

    "cached": a kernel for a GPU runs only if its machine code is in the cache of earlier runs. "off": no new kernel is made either, so
    that a call with new shapes raises; call it after the warm-up of a service. A kernel of the simulator needs no machine code.
    UsageError (compile-disabled) names what is missing."""
    global _current
    if mode not in MODES:
        raise UsageError(message("compile-mode", repr(mode), help=f"use {', '.join(map(repr, MODES))}"))
    before, _current = _current, mode
    _core.set_may_compile_code(mode == "on")
    return before


def allows_code():
    """Whether machine code may be compiled."""
    return _current == "on"


def require_kernel(name, how=""):
    """Raises UsageError if no kernel may be made. `how`: the call that compiles this one beforehand."""
    if _current == "off":
        refuse(f"kernel {name} is not compiled yet", "compile it before compilation is disabled" + (f": {how}" if how else ""))


def refuse(missing, *helps):
    raise UsageError(message("compile-disabled", missing, note=f"the mode is {_current!r}: {MODES[_current]}", help=helps))


set_compile_mode(os.environ.get(_VARIABLE) or "on")
