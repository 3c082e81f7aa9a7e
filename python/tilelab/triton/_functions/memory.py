# SPDX-License-Identifier: Apache-2.0
"""Loads and stores through pointers."""

from .. import _semantics as semantics
from .._errors import fail
from .._graph import Tensor, is_true
from .._pointers import Choice, bases_of
from .registry import builtin


def address_in(value, what):
    if not isinstance(value, Tensor) or value.base is None:
        fail(f"{what} of something that is not a pointer", "pass a pointer: an argument that is a tensor, plus offsets")
    return value


def check_writable(address, what):
    for base in bases_of(address):
        if base.constant:
            fail(f"{what} to {base.name}, which is annotated tl.const", "store through another pointer, or remove the annotation")


def masked(t, mask, shape):
    """The operation of a mask of this shape; None without one."""
    if mask is None or mask is True:
        return None
    made = semantics.broadcast_to(t.builder, semantics.condition(t.builder, mask), shape) if shape else semantics.condition(t.builder, mask)
    return None if is_true(made.op) else made.op


def targets(t, address, mask):
    """(pointer, whether it is the one, mask) for each tensor into which an address may point."""
    if not isinstance(address.base, Choice):
        yield address, None, mask
        return
    for base in address.base.bases:
        is_chosen = semantics.binary(t.builder, "==", Tensor(address.base.index), t.builder.memories.number_of(base))
        both = is_chosen if mask is None else semantics.logical(t.builder, "and", is_chosen, mask)
        yield Tensor(address.op, base), is_chosen, both


@builtin(method=True)
def load(t, pointer, mask=None, other=None, boundary_check=(), padding_option="", cache_modifier="", eviction_policy="", volatile=False):
    """The elements to which a pointer points, or `other` where the mask is false."""
    if hasattr(pointer, "load_block"):
        return pointer.load_block(t, boundary_check, padding_option)
    address = address_in(pointer, "tl.load")
    shape = address.shape
    if isinstance(mask, Tensor):
        shape = semantics.broadcast_shape(shape, mask.shape, "tl.load")
        address = semantics.broadcast_to(t.builder, address, shape)
    made = None
    for one, is_chosen, chosen in targets(t, address, mask):
        one.base.policies.add(eviction_policy or "evict_normal")
        value = _load_from(t, one, chosen, other, volatile)
        made = value if made is None else semantics.where(t.builder, is_chosen, value, made)
    return made


def _load_from(t, address, mask, other, volatile):
    b, dtype, shape = t.builder, address.base.element, address.shape
    args = [address.op]
    chosen = masked(t, mask, shape)
    if chosen is not None:
        filler = semantics.cast(b, semantics.tensor(b, 0 if other is None else other), dtype)
        if filler.shape != shape and filler.shape != ():
            filler = semantics.broadcast_to(b, filler, shape)
        args += [chosen, filler.op]
    return Tensor(b.op("load", args, shape, dtype, base=address.base, volatile=bool(volatile), unset=other is None and chosen is not None))


@builtin(method=True)
def store(t, pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy=""):
    """Writes the elements to which a pointer points, where the mask is true."""
    if hasattr(pointer, "store_block"):
        return pointer.store_block(t, value, boundary_check)
    address = address_in(pointer, "tl.store")
    check_writable(address, "tl.store")
    b = t.builder
    value = semantics.cast(b, semantics.tensor(b, value), address.base.element)
    shape = address.shape
    for other in (value, mask):
        if isinstance(other, Tensor) and shape:
            shape = semantics.broadcast_shape(shape, other.shape, "tl.store")
    if value.shape != shape and not shape:
        if value.op.size != 1:
            fail(f"a block of shape {list(value.shape)} is stored through one pointer", "add offsets to the pointer")
        value = semantics.reshape(b, value, ())
    address = semantics.broadcast_to(b, address, shape)
    mask = mask if not isinstance(mask, Tensor) or shape else semantics.reshape(b, mask, ())
    for one, _, inside in targets(t, address, mask):
        chosen = masked(t, inside, shape)
        b.op("store", [one.op, value.op, *([chosen] if chosen is not None else [])], shape, base=one.base)
