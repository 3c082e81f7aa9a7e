# SPDX-License-Identifier: Apache-2.0
"""Atomic operations through pointers."""

from .. import _semantics as semantics
from .._errors import fail
from .._graph import Tensor
from .._types import int1, int32
from .memory import address_in, check_writable, masked, targets
from .registry import builtin

_ORDERS = {None: None, "acq_rel": "acq_rel", "acquire": "acquire", "release": "release", "relaxed": "relaxed"}


def _atomic(name):
    def function(t, pointer, val, mask=None, sem=None, scope=None):
        dtype = address_in(pointer, f"tl.atomic_{name}").base.element
        if dtype.primitive_bitwidth < (16 if name == "add" and dtype.is_floating() else 32):
            fail(f"tl.atomic_{name} of {dtype}", "use elements of 32 or 64 bits; tl.atomic_add also takes float16 and bfloat16")
        return update(t, name, pointer, [val], mask, sem)

    function.__doc__ = f"Atomic {name} of the elements to which a pointer points; returns the old values."
    return function


def update(t, name, address, values, mask, sem):
    b = t.builder
    address = address_in(address, f"tl.atomic_{name}")
    dtype, shape = address.base.element, address.shape
    if name != "load":
        check_writable(address, f"tl.atomic_{name}")
    values = [semantics.cast(b, semantics.tensor(b, v), dtype) for v in values]
    for other in (*values, mask):
        if isinstance(other, Tensor) and other.shape:
            shape = semantics.broadcast_shape(shape, other.shape, f"tl.atomic_{name}")
    address = semantics.broadcast_to(b, address, shape)
    order = _ORDERS.get(getattr(sem, "name", sem), "acq_rel") or ("acq_rel" if not shape else "relaxed")
    made = None
    for one, is_chosen, inside in targets(t, address, mask):
        chosen = masked(t, inside, shape)
        args = [one.op, *(v.op for v in values), *([chosen] if chosen is not None else [])]
        old = Tensor(b.op("atomic", args, shape, dtype, base=one.base, name=name, order=order, values=len(values)))
        made = old if made is None else semantics.where(b, is_chosen, old, made)
    return made


for _name in ("add", "max", "min", "and", "or", "xor", "xchg"):
    builtin(f"atomic_{_name}", method=True)(_atomic(_name))


@builtin("atomic_cas", method=True)
def compare_and_swap(t, pointer, cmp, val, sem=None, scope=None):
    """Writes val where the element is equal to cmp, in one step; returns the old value."""
    if address_in(pointer, "tl.atomic_cas").base.element.primitive_bitwidth < 16:
        fail(f"tl.atomic_cas of {pointer.base.element}", "use elements of 16, 32 or 64 bits")
    return update(t, "cas", pointer, [cmp, val], None, sem)


@builtin("atomic_load", method=True)
def atomic_load(t, pointer, mask=None, sem=None, scope=None):
    """The elements to which a pointer points, each read in one step."""
    return update(t, "load", pointer, [], mask, sem or "acquire")


@builtin("atomic_store", method=True)
def atomic_store(t, pointer, val, mask=None, sem=None, scope=None):
    """Writes the elements to which a pointer points, each in one step."""
    update(t, "xchg", pointer, [val], mask, sem or "release")


# Evaluated as parts of the kernel. A loop that waits for other programs has an empty body: the simulator runs them in between.

def _wait(pointer, expected, order):
    while pointer.atomic_load(sem=order) != expected:
        pass


def _wait_for_each(first, offsets, expected, inside, lanes, order):
    for i in range(lanes.numel):
        mine = lanes == i
        at, value = (mine * offsets).sum(), (mine * expected).sum()
        if inside is None or (mine & inside).sum():
            while (first + at).atomic_load(sem=order) != value:
                pass


def _poll(pointer, expected, loads, order):
    found = pointer.atomic_load(sem=order) == expected
    for _ in range(loads):
        found |= pointer.atomic_load(sem=order) == expected
    return found


@builtin("atomic_poll", method=True)
def atomic_poll(t, pointer, expected_value, sem=None, scope=None, timeout_ns=None):
    """Waits until each element has a value; with timeout_ns, for one more load per microsecond. Returns which elements have had it."""
    b, address = t.builder, address_in(pointer, "tl.atomic_poll")
    expected = semantics.cast(b, semantics.tensor(b, expected_value), address.base.element)
    order = sem or "acquire"
    if timeout_ns is not None:
        return t.inlined(_poll, (address, expected, t.binary("//", timeout_ns, 1000), order), {})
    if not address.shape:
        t.inlined(_wait, (address, expected, order), {})
    else:
        size = address.op.size
        lanes = Tensor(b.op("arange", shape=(size,), dtype=int32, start=0, end=size))
        for one, _, inside in targets(t, address, None):
            parts = (part if part is None else semantics.reshape(b, semantics.broadcast_to(b, part, address.shape), (size,))
                     for part in (Tensor(one.op), expected, inside))
            first = Tensor(semantics.tensor(b, 0, one.op.dtype).op, one.base)
            t.inlined(_wait_for_each, (first, *parts, lanes, order), {})
    return semantics.full(b, address.shape, True, int1)
