# SPDX-License-Identifier: Apache-2.0
"""What a call's tensors held before a run that changes nothing."""

import ctypes


class Memory:
    """The bytes of a call's tensors that it may change: every run begins with the same, and the caller sees no change.
    What is in fresh ones nobody may read; who shows memory restores them too."""

    def __init__(self, func, described, fresh=False):
        self.tensors = [d for d, param in zip(described, func.params) if param["written"] and (fresh or not d[5])]
        self.bytes = [ctypes.string_at(d[1], d[4]) for d in self.tensors]

    def restore(self):
        for tensor, content in zip(self.tensors, self.bytes):
            ctypes.memmove(tensor[1], content, len(content))
