# SPDX-License-Identifier: Apache-2.0
"""tl.map_elementwise: a function of scalars on each element. Conditions in it select between values: both sides are computed."""

from .. import _semantics as semantics
from .._errors import fail
from .._graph import WRITES
from .indices import index_along, part
from .registry import builtin


@builtin()
def map_elementwise(t, scalar_fn, *args, pack=1):
    """A function of scalars on each element of blocks, or on `pack` neighbours at once."""
    b, pack = t.builder, t.as_static(pack, "pack")
    args, shape = [semantics.tensor(b, one) for one in args], ()
    for one in args:
        shape = semantics.broadcast_shape(shape, one.shape, "tl.map_elementwise")
    args = [semantics.broadcast_to(b, one, shape) for one in args]
    first = len(b.region.ops)
    if pack == 1:
        made = t.selected_call(scalar_fn, args)
        out = made if isinstance(made, tuple) else (made,)
    else:
        out = _packed(t, scalar_fn, args, shape, pack)
    if any(op.kind in WRITES or op.kind == "load" for op in b.region.ops[first:]):
        fail("the function of tl.map_elementwise reads or writes memory", "load its arguments before, and store its results after the call")
    out = tuple(semantics.broadcast_to(b, semantics.tensor(b, one), shape) for one in out)
    return out[0] if len(out) == 1 else out


def _packed(t, scalar_fn, args, shape, pack):
    """The results of a function of the neighbours of each argument, a0, a1, b0, b1, ...; its results have the same order."""
    b = t.builder
    size = args[0].op.size if args else 0
    if size % pack:
        fail(f"tl.map_elementwise of {size} elements with pack={pack}", "use a pack that divides the number of elements")
    rows = [semantics.reshape(b, one, (size // pack, pack)) for one in args]
    made = t.selected_call(scalar_fn, [part(t, one, 1, i, 1) for one in rows for i in range(pack)])
    made = [semantics.tensor(b, one) for one in (made if isinstance(made, tuple) else (made,))]
    if len(made) % pack:
        fail(f"the function of tl.map_elementwise has {len(made)} results with pack={pack}", "return `pack` values of each result")
    out = []
    for first in range(0, len(made), pack):
        joined = made[first]
        for i in range(1, pack):
            mine = semantics.binary(b, "==", index_along(t, (size // pack, pack), 1), i)
            joined = semantics.where(b, mine, made[first + i], joined)
        out.append(semantics.reshape(b, semantics.broadcast_to(b, joined, (size // pack, pack)), shape))
    return out
