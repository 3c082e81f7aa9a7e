# SPDX-License-Identifier: Apache-2.0
"""The floats of int8 values with a scale for each row: x = q scale."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator

TILE = 1024


@jit
def dequantize_int8_kernel(N, result):
    n, M = T.dynamic("n"), T.dynamic("M")

    @T.prim_func
    def dequantize_int8(Q: T.Tensor((n,), "int8"), S: T.Tensor((M,), "float32"), X: T.Tensor((n,), result)):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    X[b * TILE + i] = T.cast(Q[b * TILE + i], "float32") * S[(b * TILE + i) // N]

    return dequantize_int8


@operator(dtypes=("float16", "bfloat16", "float32"), integers=True, arguments="q[..., N]: int8; scale[...]: float32")
def dequantize_int8(q: Tensor, scale: Tensor, dtype: str = "float32") -> Tensor:
    """q (..., N) in int8 times scale (...), in `dtype`."""
    x = arrays.like(q, dtype)
    n = arrays.count(q.shape)
    launch(dequantize_int8_kernel, arrays.reshape(arrays.contiguous(q), n), arrays.reshape(arrays.contiguous(scale), arrays.count(q.shape[:-1])),
           arrays.reshape(x, n), N=q.shape[-1], result=dtype)
    return x


@dequantize_int8.specification
def specification(q, scale, dtype="float32"):
    return q * scale[..., None]


@dequantize_int8.examples
def examples(draw, n):
    yield (draw.integers(-128, 128, 3, 50 * n, dtype="int8"), draw.normal(3), draw.dtype), {}
