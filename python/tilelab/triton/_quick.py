# SPDX-License-Identifier: Apache-2.0
"""Launches like an earlier one: the kernel is found by a key of the arguments that takes no analysis of them."""

import sys

from ._storage import LARGEST

_PLAIN = {int, float, bool, str, type(None)}
_KEPT = 512


def key_of(args, kwargs):
    """What decides the kernel of a call: values of numbers, dtype and memory of tensors of torch. None for other arguments."""
    torch = sys.modules.get("torch")
    tensors = (torch.Tensor, torch.nn.Parameter) if torch is not None else ()
    out = []
    for value in (*args, *kwargs.values()):
        kind = type(value)
        if kind in _PLAIN:
            out.append((kind, value))
        elif kind in tensors:
            out.append((value.dtype, value.data_ptr(), value.untyped_storage().nbytes(), value.device))
        else:
            return None
    return len(args), tuple(kwargs), tuple(out)


class Remembered:
    """A launch: its kernel, where the kernel's arguments are among those of the call, and the other values of its parameters."""

    __slots__ = ("kernel", "captures", "places", "names", "rest")

    def __init__(self, kernel, captures, places, names, rest):
        self.kernel, self.captures, self.places, self.names, self.rest = kernel, captures, places, names, rest

    def values(self, args, kwargs):
        out = []
        for place, is_tensor in self.places:
            value = args[place] if type(place) is int else kwargs[place]
            out.append(_flat(value) if is_tensor else value)
        return out

    def meta(self, args, kwargs):
        """What a grid that is a function gets."""
        return {**self.rest, **dict(zip(self.names, args)), **kwargs}


def _flat(tensor):
    if tensor.requires_grad:
        tensor = tensor.detach()
    first = tensor.storage_offset()
    return tensor.as_strided((min(tensor.untyped_storage().nbytes() // tensor.element_size() - first, LARGEST),), (1,))


class Launches:
    """The latest launches of a function."""

    def __init__(self):
        self._known = {}

    def find(self, key):
        found = self._known.get(key)
        if found is not None and found.captures.changed():
            del self._known[key]
            return None
        return found

    def keep(self, key, launch):
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[key] = launch
