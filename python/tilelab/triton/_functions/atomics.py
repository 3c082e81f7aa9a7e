# SPDX-License-Identifier: Apache-2.0
"""Atomic operations through pointers."""

from .. import _semantics as semantics
from .._graph import Tensor
from .memory import address_in, masked, targets
from .registry import builtin

_ORDERS = {None: None, "acq_rel": "acq_rel", "acquire": "acquire", "release": "release", "relaxed": "relaxed"}


def _atomic(name):
    def function(t, pointer, val, mask=None, sem=None, scope=None):
        return update(t, name, pointer, [val], mask, sem)

    function.__doc__ = f"Atomic {name} of the elements to which a pointer points; returns the old values."
    return function


def update(t, name, address, values, mask, sem):
    b = t.builder
    address = address_in(address, f"tl.atomic_{name}")
    dtype, shape = address.base.element, address.shape
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
    return update(t, "cas", pointer, [cmp, val], None, sem)
