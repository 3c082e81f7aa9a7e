# SPDX-License-Identifier: Apache-2.0
"""Saves and restores the tensors of a call."""

import ctypes


class Memory:
    """The bytes of a call's tensors: every run starts with the same, and the caller sees no change."""

    def __init__(self, tensors):
        self.tensors = tensors
        self.bytes = [ctypes.string_at(d[1], d[4]) for d in self.tensors]

    def restore(self):
        for tensor, content in zip(self.tensors, self.bytes):
            ctypes.memmove(tensor[1], content, len(content))


def written_memory(func, described, fresh=False):
    """The Memory of the tensors that a call may change. Fresh outputs need no copy, except for tools that show memory."""
    return Memory([d for d, param in zip(described, func.params) if param["written"] and (fresh or not d[5])])
