# SPDX-License-Identifier: Apache-2.0
"""Errors in a kernel of pointers. `fail` raises Refused; the translator adds the location and makes a diagnostic of it."""

from .._compiler.errors import CompileError


class Refused(Exception):
    """The translator rejects the kernel: what is wrong, what to do, and the name of the message."""

    def __init__(self, what, help, name):
        self.what, self.help, self.name = what, help, name
        super().__init__(f"{what}: {help}")


class NeedsConstant(Exception):
    """The value of an argument is needed when the kernel is compiled: it becomes a compile-time parameter."""

    def __init__(self, name):
        self.name = name
        super().__init__(name)


class MovingBase(Exception):
    """A loop makes a block pointer or a descriptor point to another offset of its tensor, or a pointer point into another one of
    `tensors`: its base is carried as well, with `by_element` for each element of a block of pointers."""

    def __init__(self, name, tensors=(), by_element=False):
        self.name, self.tensors, self.by_element = name, frozenset(tensors), by_element
        super().__init__(name)

    def joined(self, other):
        """Both findings about one name; `other` can be None."""
        return self if other is None else MovingBase(self.name, self.tensors | other.tensors, self.by_element or other.by_element)


def fail(what, help, name="block-program"):
    raise Refused(what, help, name)


def unsupported(what, help):
    raise Refused(what, help, "block-unsupported")


__all__ = ["CompileError", "MovingBase", "NeedsConstant", "Refused", "fail", "unsupported"]
