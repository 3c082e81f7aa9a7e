# SPDX-License-Identifier: Apache-2.0
"""Saves, restores and reads the tensors of a call, described as for Func.run."""

import ctypes
import math

from .._compiler.layouts import row_major


class Memory:
    """The bytes of a call's tensors: every run starts with the same, and the caller sees no change."""

    def __init__(self, tensors):
        self.tensors = tensors
        self.bytes = [ctypes.string_at(d[1], d[4]) for d in self.tensors]

    def restore(self):
        for tensor, content in zip(self.tensors, self.bytes):
            ctypes.memmove(tensor[1], content, len(content))


def itemsize(described):
    reach = 1 + sum((n - 1) * s for n, s in zip(described[2], described[3]))
    return described[4] // reach if reach and 0 not in described[2] else 1


def index_of(number, described):
    """The index of the element at an offset in elements."""
    index = [0] * len(described[2])
    for d in sorted(range(len(index)), key=lambda d: -described[3][d]):
        if described[3][d] > 0 and described[2][d] > 1:
            index[d], number = divmod(number, described[3][d])
    return index


def dense(described):
    """The bytes of the elements in row-major order, for any strides."""
    size = itemsize(described)
    if row_major(described[2]) == list(described[3]) or 0 in described[2]:
        return ctypes.string_at(described[1], math.prod(described[2]) * size)
    offsets = [0]
    for n, s in zip(described[2], described[3]):
        offsets = [o + k * s * size for o in offsets for k in range(n)]
    return b"".join(ctypes.string_at(described[1] + o, size) for o in offsets)


def written_memory(func, described, fresh=False):
    """The Memory of the tensors that a call may change. Fresh outputs need no copy, except for tools that show memory."""
    return Memory([d for d, param in zip(described, func.params) if param["written"] and (fresh or not d[5])])
