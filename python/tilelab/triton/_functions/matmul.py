# SPDX-License-Identifier: Apache-2.0
"""tl.dot."""

from .. import _semantics as semantics, _types
from .._errors import fail, unsupported
from .._graph import Tensor
from .._types import float32, int32
from .registry import builtin


@builtin(method=True)
def dot(t, input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None):
    """The matrix product of two blocks, plus `acc`. Sums are float32, or int32 for integers."""
    b = t.builder
    left, right = semantics.tensor(b, input), semantics.tensor(b, other)
    if len(left.shape) == len(right.shape) == 3:
        return _batched(t, left, right, acc, input_precision, allow_tf32, out_dtype)
    if len(left.shape) != 2 or len(right.shape) != 2 or left.shape[1] != right.shape[0]:
        fail(f"tl.dot of shapes {list(left.shape)} and {list(right.shape)}", "the operands are M x K and K x N")
    kinds = left.op.dtype, right.op.dtype
    if kinds[0] != kinds[1] and not all(k.is_fp8() for k in kinds):
        fail(f"tl.dot of {kinds[0]} and {kinds[1]}", "convert one operand to the dtype of the other")
    sums = int32 if not kinds[0].is_floating() else _types.ALL["float64"] if kinds[0].is_fp64() else float32
    wanted = _types.as_dtype(out_dtype) if out_dtype is not None and sums != int32 else acc.op.dtype if isinstance(acc, Tensor) else sums
    shape = (left.shape[0], right.shape[1])
    start = None
    if acc is not None:
        start = semantics.cast(b, semantics.broadcast_to(b, semantics.tensor(b, acc), shape), sums)
    fast = allow_tf32 or getattr(input_precision, "lower", lambda: "")() == "tf32"
    args = [left.op, right.op, *([start.op] if start is not None else [])]
    made = Tensor(b.op("dot", args, shape, sums, tf32=bool(fast) and kinds[0] == float32))
    return semantics.cast(b, made, wanted)


def _batched(t, left, right, acc, input_precision, allow_tf32, out_dtype):
    """A batch of one, or products and a reduction."""
    b = t.builder
    if left.shape[0] == 1 and right.shape[0] == 1:
        inner = None if acc is None else semantics.reshape(b, acc, acc.shape[1:])
        made = dot(t, semantics.reshape(b, left, left.shape[1:]), semantics.reshape(b, right, right.shape[1:]), inner, input_precision,
                   allow_tf32, None, out_dtype)
        return semantics.reshape(b, made, (1, *made.shape))
    from .reductions import reduced

    wide = semantics.cast(b, left, float32), semantics.cast(b, right, float32)
    products = semantics.binary(b, "*", semantics.expand_dims(b, wide[0], [3]), semantics.expand_dims(b, wide[1], [1]))
    made = reduced(t, products, 2, "sum")
    return made if acc is None else semantics.binary(b, "+", made, acc)


@builtin()
def dot_scaled(t, *args, **options):
    """Products of scaled narrow floats."""
    unsupported("tl.dot_scaled", "multiply by the scales, then use tl.dot")
