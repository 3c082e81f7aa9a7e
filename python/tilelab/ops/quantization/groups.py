# SPDX-License-Identifier: Apache-2.0
"""Codes of 4 bits for groups of adjacent elements, each with a scale: the kernels of the formats, which are functions of one element. Two codes
share a byte."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch

TILE = 1024  # elements of a block that reads codes
ROWS = 16  # groups of a block that makes codes


@jit
def pack_kernel(group, dtype, stored, kept, scale_of, factor_of, code_of, high_first):
    """Q: code_of(x, factor_of(scale)) of each element; S: the scale of each group, scale_of(max |x|). The scale has the dtype `kept` in the kernel,
    `stored` in S. `high_first`: the element with the even index is in the upper half of the byte."""
    G = T.dynamic("G")

    @T.prim_func
    def pack(X: T.Tensor((G, group), dtype), Q: T.Tensor((G, group // 2), "uint8"), S: T.Tensor((G,), stored)):
        with T.Kernel(T.ceildiv(G, ROWS), threads=128) as b:
            x = T.alloc_fragment((ROWS, group), "float32")
            most = T.alloc_fragment((ROWS,), "float32")
            scale = T.alloc_shared((ROWS,), kept)
            T.copy(X[b * ROWS:(b + 1) * ROWS, 0:group], x)
            T.reduce_absmax(x, most, dim=1)
            for i in T.Parallel(ROWS):
                scale[i] = scale_of(most[i])
            for i, j in T.Parallel(ROWS, group // 2):
                if b * ROWS + i < G:
                    factor = factor_of(scale[i])
                    even = code_of(T.cast(X[b * ROWS + i, 2 * j], "float32"), factor)
                    odd = code_of(T.cast(X[b * ROWS + i, 2 * j + 1], "float32"), factor)
                    Q[b * ROWS + i, j] = T.cast(odd | even << 4 if high_first else even | odd << 4, "uint8")
            for i in T.Parallel(ROWS):
                if b * ROWS + i < G:
                    S[b * ROWS + i] = T.cast(scale[i], stored)

    return pack


def packed(kernel, x, group, format):
    """(codes (..., N / 2), scales (..., N / group)) of x (..., N), by a kernel of pack_kernel, with the constants of the format."""
    G, N = arrays.count(x.shape) // group, x.shape[-1]
    q, scale = arrays.empty((*x.shape[:-1], N // 2), "uint8", x), arrays.empty((*x.shape[:-1], N // group), format["stored"], x)
    launch(kernel, arrays.reshape(arrays.contiguous(x), G, group), arrays.reshape(q, G, group // 2), arrays.reshape(scale, G), group=group,
           dtype=arrays.dtype_of(x), **format)
    return q, scale


@jit
def unpack_kernel(group, stored, result, value_of):
    """X: value_of(code, scale) of each element, the one with the even index in the lower half of a byte of Q."""
    n, half, G = T.dynamic("n"), T.dynamic("half"), T.dynamic("G")

    @T.prim_func
    def unpack(Q: T.Tensor((half,), "uint8"), S: T.Tensor((G,), stored), X: T.Tensor((n,), result)):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    code = T.cast(Q[(b * TILE + i) // 2], "int32") >> (b * TILE + i) % 2 * 4 & 15
                    X[b * TILE + i] = value_of(code, S[(b * TILE + i) // group])

    return unpack


def unpacked(kernel, q, scale, group, dtype, value_of):
    """The elements in `dtype`, (..., N), of codes (..., N / 2) and scales, by a kernel of unpack_kernel."""
    x = arrays.empty((*q.shape[:-1], q.shape[-1] * 2), dtype, q)
    launch(kernel, *map(arrays.elements, (q, scale, x)), group=group, stored=arrays.dtype_of(scale), result=dtype, value_of=value_of)
    return x
