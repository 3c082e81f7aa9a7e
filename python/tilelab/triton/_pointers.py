# SPDX-License-Identifier: Apache-2.0
"""Pointers into one of several tensors, and into the memory of a tensor as elements of another dtype.

A pointer is an offset and what it points into (its base): an Argument, or a Choice between arguments that the kernel makes. A load through
a choice reads each of its tensors under the condition that it is the chosen one; the same holds for stores and atomic operations.
"""

from ._graph import Argument, Tensor
from ._types import int32


class Choice:
    """The base of a pointer into one of the arguments `bases`: the one whose number is the value of `index`."""

    def __init__(self, bases, index):
        self.bases, self.index = tuple(bases), index
        self.element = self.bases[0].element


def bases_of(pointer):
    """The arguments into which a pointer may point."""
    return pointer.base.bases if isinstance(pointer.base, Choice) else (pointer.base,)


def is_pointer(value):
    return isinstance(value, Tensor) and value.base is not None


def can_choose(one, other):
    """Whether a value can be either of two pointers."""
    return is_pointer(one) and is_pointer(other) and one.base.element == other.base.element


def index_of(builder, pointer):
    """The number of the tensor into which a pointer points."""
    if isinstance(pointer.base, Choice):
        return Tensor(pointer.base.index)
    return Tensor(builder.const(builder.memories.number_of(pointer.base), int32))


def chosen(offset, index, *pointers):
    """A pointer at an offset of that tensor of those of `pointers` whose number is `index`."""
    return Tensor(offset.op, Choice(dict.fromkeys(base for one in pointers for base in bases_of(one)), index.op))


class Cast(Argument):
    """The memory of an argument as elements of another dtype: a further parameter of the tile program."""

    def __init__(self, name, argument, element):
        super().__init__(name, element)
        self.argument, self.group, self.constant = argument, argument.group, argument.constant


def cast_of(memories, argument, element):
    """The memory of an argument as elements of a dtype."""
    if argument.element == element:
        return argument
    key = argument.name, element
    if key not in memories.casts:
        name = memories.unused(f"{argument.name}_as_{element.tile}")
        memories.casts[key] = memories.argument(Cast(name, argument, element))
    return memories.casts[key]
