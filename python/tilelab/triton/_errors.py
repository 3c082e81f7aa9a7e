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
    """A loop makes a block pointer or a descriptor point to another place of its tensor, or a pointer point into another one of
    `tensors`: its base is carried as well."""

    def __init__(self, name, tensors=()):
        self.name, self.tensors = name, frozenset(tensors)
        super().__init__(name)


def fail(what, help, name="block-program"):
    raise Refused(what, help, name)


def unsupported(what, help):
    raise Refused(what, help, "block-unsupported")


__all__ = ["CompileError", "MovingBase", "NeedsConstant", "Refused", "fail", "unsupported"]
