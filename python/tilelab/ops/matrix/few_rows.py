# SPDX-License-Identifier: Apache-2.0
"""The product of few rows a (M <= 64, K) with 4-bit weights b (N, K), as models multiply when they generate text. Its time is that of the bytes
of b and of their unpacking, so that nothing of b goes through shared memory again: c is computed as its transpose, and the matrix unit takes the
unpacked weights from registers:

    b (BN, BK / 2) bytes --copy--> shared --unpack--> registers (BN, BK) --gemm--> (BN, BM) --times the scale of the group--> c

A code is an integer, or the index of one of 16 levels. Of those the block has two tables in shared memory, of the bits of a pair's first and
second float: a byte is unpacked by a load from each, and the 16 words of a table are in different banks.

The scales of the next step are loaded while those of this one are used. K is split where N has too few tiles for a GPU; a second kernel adds
the parts, as in parts.py."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch, runs
from .parts import add_parts
from .tiles import PROCESSORS, STEP, few_rows_plan_of, takes_few_rows

LEAST_STEP = 64  # of K; a step is in one group of a scale
FEWER = 32  # rows, whose parts are cheap to write and add: more of them pay off
ONE = {"float16": (0x64006400, 1024), "bfloat16": (0x43004300, 128)}  # bits and value of two floats whose last bits count ones


def bits_of(level, dtype):
    return T.cast(T.reinterpret(T.cast(level, dtype), "uint16"), "uint32")


@jit
def few_rows_kernel(group, dtype, result, level_of, splits, BM, BN, BK, stages):
    """P: the product over each part of K; one part is C itself. `level_of`: the level of a code, or None for integers."""
    M, N, K, half, groups = (T.dynamic(name) for name in ("M", "N", "K", "half", "groups"))
    bits, one = ONE[dtype]

    @T.prim_func
    def gemm_w4a16_few_rows(A: T.Tensor((M, K), dtype), Q: T.Tensor((N, half), "uint8"), S: T.Tensor((N, groups), "float32"),
                            P: T.Tensor((splits, M, N), result)):
        with T.Kernel(T.ceildiv(N, BN), splits, threads=128) as (bn, part):
            a = T.alloc_shared((BM, BK), dtype)
            q = T.alloc_shared((BN, BK // 2), "uint8")
            b = T.alloc_fragment((BN, BK), dtype)
            pairs = T.view(b, (BN, BK // 2), dtype + "x2")
            product = T.alloc_fragment((BN, BM), "float32")
            c = T.alloc_fragment((BN, BM), "float32")
            scale = T.alloc_fragment((BN,), "float32")
            following = T.alloc_fragment((BN,), "float32")
            if level_of:
                firsts = T.alloc_shared((16,), "uint32")
                seconds = T.alloc_shared((16,), "uint32")
                for code in T.Parallel(16):
                    firsts[code] = bits_of(level_of(code), dtype)
                    seconds[code] = bits_of(level_of(code), dtype) << 16
            T.annotate_layout({q: T.make_swizzled_layout(q)})  # the threads of a warp read bytes of eight rows
            T.clear(c)
            steps = T.ceildiv(T.ceildiv(K, BK), splits)
            for i in T.Parallel(BN):
                following[i] = S[T.min(bn * BN + i, N - 1), T.min(part * steps * BK // group, groups - 1)]
            for t in T.Pipelined(T.max(T.min(steps, T.ceildiv(K, BK) - part * steps), 0), num_stages=stages):
                k = part * steps + t
                T.copy(A[0:BM, k * BK:(k + 1) * BK], a)
                T.copy(Q[bn * BN:(bn + 1) * BN, k * BK // 2:(k + 1) * BK // 2], q, eviction_policy="evict_first")
                T.copy(following, scale)
                for i in T.Parallel(BN):
                    following[i] = S[T.min(bn * BN + i, N - 1), T.min((k + 1) * BK // group, groups - 1)]
                for i, j in T.Parallel(BN, BK // 2):
                    codes = T.cast(q[i, j], "int32")
                    if level_of:  # the first code is in the upper half of the byte
                        pairs[i, j] = T.reinterpret(firsts[codes >> 4] | seconds[codes & 15], dtype + "x2")
                    else:
                        pairs[i, j] = T.reinterpret(codes * 0x1001 & 0xF000F | bits, dtype + "x2") - T.cast(one + 8, dtype)
                T.gemm(b, a, product, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(BN, BM):
                    c[i, j] += product[i, j] * scale[i]
            for i, j in T.Parallel(BN, BM):
                if (j < M) & (bn * BN + i < N):
                    P[part, j, bn * BN + i] = c[i, j]

    return gemm_w4a16_few_rows


def takes(a, group):
    """Whether few_rows is the faster kernel for these rows: a step is in one group, and the unit takes weights from registers. Without kernels
    the number of rows may not be known."""
    return runs() and group % LEAST_STEP == 0 and 0 < a.shape[0] and takes_few_rows(arrays.dtype_of(a), a.shape[0])


def few_rows(a, b, scale, group, level_of=None):
    """a bᵀ. scale: float32. `level_of`: of a code, unless codes are integers."""
    (M, K), N, dtype = a.shape, b.shape[0], arrays.dtype_of(a)
    a, b, scale, c = *map(arrays.contiguous, (a, b, arrays.cast(scale, "float32"))), arrays.empty((M, N), dtype, a)
    blocks = (3 if M <= FEWER else 2) * PROCESSORS
    tile, splits = few_rows_plan_of(M, N, K, blocks, STEP if group % STEP == 0 else LEAST_STEP)
    parts = arrays.empty((splits, M, N), "float32", a) if splits > 1 else arrays.reshape(c, 1, M, N)
    launch(few_rows_kernel, a, b, scale, parts, group=group, dtype=dtype, result=arrays.dtype_of(parts), level_of=level_of, splits=splits, **tile)
    if splits > 1:
        add_parts(parts, c)
    return c
