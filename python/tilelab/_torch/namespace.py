# SPDX-License-Identifier: Apache-2.0
"""torch.ops.tilelab, which defines an operator when a program first asks for it. torch.export.load does so in a process that has imported
nothing but tilelab."""

import contextlib
import threading

_state = threading.local()


@contextlib.contextmanager
def defining():
    """torch, which defines an operator in this context, looks for an earlier one of the name."""
    before = getattr(_state, "on", False)
    _state.on = True
    try:
        yield
    finally:
        _state.on = before


def provide(torch, define):
    """Sets torch.ops.tilelab. `define(name)` defines the operators of a name, and is called where torch does not find it."""
    base = getattr(getattr(torch, "_ops", None), "_OpNamespace", None)
    if base is None:
        return

    class Namespace(base):
        __module__ = base.__module__  # a part of the operators' names in exported programs

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                if name.startswith("__") or getattr(_state, "on", False):
                    raise
            define(name)
            return super().__getattr__(name)

    torch.ops.tilelab = Namespace("tilelab")
