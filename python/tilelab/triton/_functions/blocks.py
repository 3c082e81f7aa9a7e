# SPDX-License-Identifier: Apache-2.0
"""Block pointers and tensor descriptors: a tile of a tensor with strides, as pointers and masks of its elements."""

from .. import _semantics as semantics
from .._errors import fail
from .._graph import Tensor
from .._types import BlockType, PointerType, int64
from .atomics import update
from .indices import index_along
from .memory import address_in, load, store
from .registry import Builtin, Method, builtin, shape_of


class BlockPointer:
    """tl.make_block_ptr: a tile at offsets of a tensor."""

    def __init__(self, base, shape, strides, offsets, block, padding="zero"):
        self.base, self.shape, self.strides, self.offsets, self.block = base, shape, strides, offsets, block
        self.padding = padding

    def has_tile_of(self, other):
        """Whether tiles of another block pointer or descriptor have the same shape and padding."""
        return type(self) is type(other) and (self.block, self.padding) == (other.block, other.padding)

    def parts(self):
        """What a loop or a branch may change."""
        return self.offsets

    def with_parts(self, offsets, base=None, shape=None, strides=None):
        return type(self)(base or self.base, shape or self.shape, strides or self.strides, offsets, self.block, self.padding)

    def advanced(self, t, offsets):
        return self.with_parts(tuple(t.binary("+", mine, by) for mine, by in zip(self.offsets, offsets)))

    def addresses(self, t, checked):
        """(pointers, mask) of the elements; `checked`: the dimensions with a bound."""
        indices = [t.binary("+", offset, index_along(t, self.block, axis)) for axis, offset in enumerate(self.offsets)]
        return self.addresses_at(t, indices, self.block, checked)

    def addresses_at(self, t, indices, block, checked):
        """The same of the elements with these indices, one block for each dimension."""
        b = t.builder
        pointers, mask = self.base, None
        for axis, (extent, stride, index) in enumerate(zip(self.shape, self.strides, indices)):
            pointers = t.binary("+", pointers, t.binary("*", index, stride))
            if axis in checked:
                inside = semantics.binary(b, "<", index, extent)
                inside = semantics.logical(b, "and", inside, semantics.binary(b, ">=", index, 0))
                mask = inside if mask is None else semantics.logical(b, "and", mask, inside)
        return semantics.broadcast_to(b, pointers, block), mask

    def load_block(self, t, boundary_check=(), padding_option=""):
        pointers, mask = self.addresses(t, _axes(t, boundary_check))
        filler = {"nan": float("nan"), "zero": 0}.get(padding_option)
        return load(t, pointers, mask, filler if mask is not None else None)

    def store_block(self, t, value, boundary_check=()):
        pointers, mask = self.addresses(t, _axes(t, boundary_check))
        value = semantics.broadcast_to(t.builder, semantics.tensor(t.builder, value), self.block)
        return store(t, pointers, value, mask)

    # --- what a kernel does with it ------------------------------------------------------------------

    def block_attribute(self, t, name):
        if name in ("shape", "strides"):
            return getattr(self, name)
        if name in ("block_shape", "block_type"):
            return self.block
        if name in ("type", "dtype"):
            return PointerType(BlockType(self.base.base.element, self.block))
        if name not in _ACTIONS:
            fail(f"a tensor descriptor has no {name}", f"it has {', '.join(_ACTIONS)}")
        return Method(Builtin(name, _ACTIONS[name], True), self)


class TensorDescriptor(BlockPointer):
    """tl.make_tensor_descriptor: a tensor whose tiles are loaded and stored by offset; its dtype is that of the elements."""

    def block_attribute(self, t, name):
        return self.base.base.element if name == "dtype" else super().block_attribute(t, name)


def _axes(t, checked):
    checked = checked if isinstance(checked, (tuple, list)) else (checked,)
    return tuple(t.as_static(one, "a dimension of boundary_check") for one in checked)


def _tile(t, descriptor, offsets):
    return descriptor.with_parts(tuple(offsets))


def _load_at(t, descriptor, offsets):
    return _tile(t, descriptor, offsets).load_block(t, tuple(range(len(descriptor.block))), descriptor.padding)


def _store_at(t, descriptor, offsets, value):
    value = semantics.reshape(t.builder, value, descriptor.block)
    return _tile(t, descriptor, offsets).store_block(t, value, tuple(range(len(descriptor.block))))


_WORDS = ("int32", "uint32", "int64", "uint64")
_REDUCED = {"add": ("int32", "uint32", "uint64", "float16", "bfloat16", "float32"), "max": (*_WORDS, "float16", "bfloat16"),
            "min": (*_WORDS, "float16", "bfloat16"), "and": _WORDS, "or": _WORDS, "xor": _WORDS}  # by copy engines


def _update_at(name):
    def function(t, descriptor, offsets, value):
        dtype = descriptor.base.base.element
        if dtype.long_name not in _REDUCED[name]:
            fail(f"atomic_{name} of a tensor descriptor of {dtype}",
                 f"use tl.atomic_{name} with pointers, or elements of {', '.join(_REDUCED[name])}")
        pointers, mask = _tile(t, descriptor, offsets).addresses(t, tuple(range(len(descriptor.block))))
        update(t, name, pointers, [value], mask, None)

    return function


def _rows(t, descriptor, rows, column):
    """(pointers, mask) of the rows with these indices, from a column on."""
    if len(descriptor.block) != 2 or descriptor.block[0] != 1:
        fail(f"the tile of a descriptor whose rows are gathered or scattered has the shape {list(descriptor.block)}",
             "create the descriptor with a tile of shape [1, N]")
    if not isinstance(rows, Tensor) or len(rows.shape) != 1:
        fail("the indices of rows are not a block of one dimension", "pass a block, such as tl.load(rows + tl.arange(0, 8))")
    block = rows.shape[0], descriptor.block[1]
    columns = t.binary("+", column, index_along(t, block, 1))
    return descriptor.addresses_at(t, (semantics.expand_dims(t.builder, rows, [1]), columns), block, (0, 1))


def _gather_at(t, descriptor, x_offsets, y_offset):
    return load(t, *_rows(t, descriptor, x_offsets, y_offset), 0)


def _scatter_at(t, descriptor, value, x_offsets, y_offset):
    pointers, mask = _rows(t, descriptor, x_offsets, y_offset)
    store(t, pointers, value, mask)


_ACTIONS = {"load": _load_at, "store": _store_at, "gather": _gather_at, "scatter": _scatter_at,
            **{f"atomic_{name}": _update_at(name) for name in ("add", "max", "min", "and", "or", "xor")}}


def _sizes(t, values):
    """Extents or strides: numbers as they are, others in 64 bits, so that offsets cannot overflow."""
    return tuple(semantics.cast(t.builder, v, int64) if isinstance(v, Tensor) else v for v in values)


@builtin()
def make_block_ptr(t, base, shape, strides, offsets, block_shape, order=None):
    """A tile at offsets of a tensor with a shape and strides."""
    return BlockPointer(base, tuple(shape), _sizes(t, strides), tuple(offsets), shape_of(t, tuple(block_shape)))


@builtin(method=False)
def advance(t, base, offsets):
    """A block pointer moved by offsets."""
    return base.advanced(t, offsets)


@builtin()
def load_tensor_descriptor(t, desc, offsets):
    """The tile of a descriptor at offsets."""
    return _load_at(t, desc, offsets)


@builtin()
def store_tensor_descriptor(t, desc, offsets, value):
    """Stores a tile of a descriptor at offsets."""
    return _store_at(t, desc, offsets, value)


@builtin("make_tensor_descriptor _experimental_make_tensor_descriptor")
def make_tensor_descriptor(t, base, shape, strides, block_shape, padding_option="zero"):
    """A descriptor of a tensor, from which tiles are loaded and stored by offset."""
    block = shape_of(t, tuple(block_shape))
    size = block[-1] * address_in(base, "tl.make_tensor_descriptor").base.element.itemsize
    if size < 16:
        fail(f"the rows of a tensor descriptor's tile have {size} bytes", "use a block_shape with rows of at least 16 bytes, which copy engines need")
    return TensorDescriptor(base, tuple(shape), _sizes(t, strides), (0,) * len(tuple(shape)), block, padding_option)
