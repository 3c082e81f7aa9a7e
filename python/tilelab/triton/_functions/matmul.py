# SPDX-License-Identifier: Apache-2.0
"""tl.dot."""

import math

from .. import _semantics as semantics, _types
from .._errors import fail
from .._graph import Tensor
from .._types import float32, int32
from .registry import builtin


@builtin(method=True)
def dot(t, input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None,
        trans_a=False, trans_b=False):
    """The matrix product of two blocks, or of each pair in a batch, plus `acc`. Sums are float32, or int32 for integers. `trans_a`, `trans_b`:
    whether an operand is transposed first, as in kernels for Triton 2.0."""
    b = t.builder
    left, right = (_transposed(b, semantics.tensor(b, one), turned) for one, turned in ((input, trans_a), (other, trans_b)))
    batch = left.shape[:-2]
    if min(len(left.shape), len(right.shape)) < 2 or right.shape[:-2] != batch or left.shape[-1] != right.shape[-2]:
        fail(f"tl.dot of shapes {list(left.shape)} and {list(right.shape)}", "the operands are M x K and K x N")
    kinds = left.op.dtype, right.op.dtype
    if kinds[0] != kinds[1] and not all(k.is_fp8() for k in kinds):
        fail(f"tl.dot of {kinds[0]} and {kinds[1]}", "convert one operand to the dtype of the other")
    sums = int32 if not kinds[0].is_floating() else _types.ALL["float64"] if kinds[0].is_fp64() else float32
    wanted = _types.as_dtype(out_dtype) if out_dtype is not None and sums != int32 else acc.op.dtype if isinstance(acc, Tensor) else sums
    shape = (*batch, left.shape[-2], right.shape[-1])
    start = None if acc is None else semantics.cast(b, semantics.broadcast_to(b, semantics.tensor(b, acc), shape), sums)
    if math.prod(batch) == 1 and math.prod(shape) > 1:
        fast = allow_tf32 or getattr(input_precision, "lower", lambda: "")() == "tf32"
        parts = [semantics.reshape(b, one, one.shape[-2:]).op for one in (left, right, start) if one is not None]
        made = Tensor(b.op("dot", parts, shape[-2:], sums, tf32=bool(fast) and kinds[0] == float32))
    else:
        made = _batched(b, left, right, (math.prod(batch), *shape[-2:]), sums)
        start = None if start is None else semantics.reshape(b, start, made.shape)
        made = made if start is None else semantics.binary(b, "+", made, start)
    return semantics.cast(b, semantics.reshape(b, made, shape), wanted)


def _transposed(builder, value, turned):
    """A block, or each one of a batch, with rows for columns."""
    rank = len(value.shape)
    return semantics.permute(builder, value, (*range(rank - 2), rank - 1, rank - 2)) if turned and rank > 1 else value


def _batched(b, left, right, shape, dtype):
    """Products without matrix instructions: of a batch, or with one element."""
    flat = [semantics.reshape(b, one, (shape[0], *one.shape[-2:])).op for one in (left, right)]
    return Tensor(b.op("contract", flat, shape, dtype))
