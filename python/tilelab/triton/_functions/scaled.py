# SPDX-License-Identifier: Apache-2.0
"""tl.dot_scaled: operands in the microscaling formats (OCP MX) are decoded to bfloat16, then multiplied by tl.dot.

This is what Triton computes on targets without matrix instructions for these formats; with a float16 operand both are float16.
"""

from .. import _semantics as semantics, _types
from .._errors import fail
from .._types import bfloat16, float16, float32, int32, uint32
from .indices import join
from .matmul import dot
from .registry import builtin

# The element formats: the dtype of one element, None for two elements of 4 bits in a uint8.
_FORMATS = {"e2m1": None, "e4m3": _types.ALL["float8e4nv"], "e5m2": _types.ALL["float8e5"], "bf16": bfloat16, "fp16": float16}


@builtin()
def dot_scaled(t, lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, rhs_k_pack=True,
               out_dtype=float32):
    """The matrix product of blocks of narrow floats, of which groups along K have a scale: of lhs M x K / group, of rhs N x K / group."""
    for name in (lhs_format, rhs_format):
        if name not in _FORMATS:
            fail(f"tl.dot_scaled of the format {name!r}", f"use one of {', '.join(_FORMATS)}")
    wide = float16 if "fp16" in (lhs_format, rhs_format) else bfloat16
    left = _decoded(t, lhs, lhs_scale, lhs_format, lhs_k_pack, wide)
    right = _decoded(t, _transposed(t, rhs), rhs_scale, rhs_format, rhs_k_pack, wide)
    return dot(t, left, _transposed(t, right), acc, out_dtype=out_dtype)


def _transposed(t, value):
    """A block with its last two dimensions exchanged."""
    rank = len(value.shape)
    if rank < 2:
        fail(f"tl.dot_scaled of a block of shape {list(value.shape)}", "pass operands of the shapes M x K and K x N")
    return semantics.permute(t.builder, value, (*range(rank - 2), rank - 1, rank - 2))


def _decoded(t, value, scale, name, packs_k, dtype):
    """A block with K as its last dimension as scaled numbers of a dtype."""
    b, narrow = t.builder, _FORMATS[name]
    if narrow is None:
        value = _unpacked(t, value, packs_k, dtype)
    else:
        bits = value.op.dtype.kind != "float"
        value = semantics.bitcast(b, value, narrow) if bits else value
        value = semantics.cast(b, value, dtype)
    if scale is None:
        return value
    if scale.shape[:-1] != value.shape[:-1] or value.shape[-1] % scale.shape[-1]:
        fail(f"tl.dot_scaled has scales of shape {list(scale.shape)} for an operand of shape {list(value.shape)}, with K as its last dimension",
             "pass scales of rhs as N x K / group, also where rhs is K x N")
    groups = semantics.expand_dims(b, scale, [len(scale.shape)])
    groups = semantics.broadcast_to(b, groups, (*scale.shape, value.shape[-1] // scale.shape[-1]))
    groups = semantics.reshape(b, groups, value.shape)
    if scale.op.dtype.is_floating():
        return semantics.binary(b, "*", value, semantics.cast(b, groups, dtype))
    exponent = semantics.binary(b, "<<", semantics.cast(b, semantics.cast(b, groups, _types.ALL["uint8"]), uint32), 23)
    factor = semantics.cast(b, semantics.bitcast(b, exponent, float32), dtype)
    unknown = semantics.binary(b, "==", exponent, 255 << 23)
    return semantics.where(b, unknown, float("nan"), semantics.binary(b, "*", value, factor))


def _unpacked(t, value, packs_k, dtype):
    """The numbers of 4 bits in bytes, the lower half first, along the last dimension or, if not packs_k, along the one before."""
    b = t.builder
    if not packs_k:
        return _transposed(t, _unpacked(t, _transposed(t, value), True, dtype))
    bits = semantics.cast(b, value, int32)
    both = join(t, semantics.binary(b, "&", bits, 15), semantics.binary(b, "&", semantics.binary(b, ">>", bits, 4), 15))
    bits = semantics.reshape(b, both, (*value.shape[:-1], 2 * value.shape[-1]))
    exponent = semantics.binary(b, "&", semantics.binary(b, ">>", bits, 1), 3)
    digit = semantics.binary(b, "&", bits, 1)
    quarters = semantics.binary(b, "<<", semantics.binary(b, "+", digit, 2), exponent)
    quarters = semantics.where(b, semantics.binary(b, "==", exponent, 0), semantics.binary(b, "*", digit, 2), quarters)
    size = semantics.binary(b, "*", semantics.cast(b, quarters, float32), 0.25)
    signed = semantics.where(b, semantics.binary(b, "<", bits, 8), size, semantics.unary(b, "-", size))
    return semantics.cast(b, signed, dtype)
