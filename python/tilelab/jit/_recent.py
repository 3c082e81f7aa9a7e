# SPDX-License-Identifier: Apache-2.0
"""Repeated calls of an eager jit function on a GPU: its latest kernels take them without binding arguments and solving for constants."""

from .._compiler import settings
from ._captures import key_of

KEPT = 4


class Recent:
    """A kernel, and what a call must have in common with the one that made it: the number of arguments, compile-time values, captured
    values (`guards`) and settings. The kernel compares the tensors itself."""

    def __init__(self, kernel, static, order, guards):
        """`static`: {position: value}; `order`: the positions of the kernel's arguments."""
        self.kernel, self.order, self.guards = kernel, tuple(order), guards
        self.static = [(i, key_of(value)) for i, value in static.items()]
        self.all_tensors = not static and self.order == tuple(range(len(self.order)))
        self.settings = settings.device, settings.target

    def call(self, args):
        """The result, or NotImplemented for another call."""
        if len(args) != len(self.static) + len(self.order) or self.settings != (settings.device, settings.target):
            return NotImplemented
        for i, key in self.static:
            if key_of(args[i]) != key:
                return NotImplemented
        for guard in self.guards:
            if guard.changed():
                return NotImplemented
        return self.kernel._again(args if self.all_tensors else tuple(args[i] for i in self.order))


def recent(kernel, signature, runtime, args, guards):
    """The Recent of a call with positional arguments; None if its kernel would accept strides for which another kernel is
    compiled: those of extent 1."""
    parameters = list(signature.parameters.values())
    if not kernel._repeats or len(args) > len(parameters) or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    if any(p["strides"] for p in kernel._raw_params):
        return None
    given = {p.name: i for i, p in enumerate(parameters[:len(args)])}
    order = [i for name, i in given.items() if name in runtime]
    if len(order) != len(runtime):
        return None
    return Recent(kernel, {i: args[i] for name, i in given.items() if name not in runtime}, order, guards)
