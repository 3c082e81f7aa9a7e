# SPDX-License-Identifier: Apache-2.0
"""One name in several scopes of a kernel: each binding has a separate value."""
import numpy as np
import tilelang.language as T

from case import EVERY, case, floats, integers
from narrow import bytes_, values_of
from units import TARGETS, operands, product, shapes


@case(sizes=[dict(N=64), dict(N=37), dict(N=3)], inputs=lambda rng, N: [floats(rng, 8, N)],
      reference=lambda x, N: [x[0][6]], targets=EVERY)
def scopes_of_block_and_threads(N):
    """A value of the block decides on a copy; after it, the name is per thread."""
    @T.prim_func
    def main(A: T.Tensor((8, N), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            s = T.alloc_shared((64,), "float32")
            last = T.alloc_var("int32", 0)
            for k in T.serial(8):
                row = k * 2 + last
                if row < 7:
                    T.copy(A[row, bx * 64], s)
                last = row - 2 * k
            tx = T.get_thread_binding()
            row = 63 - tx
            if bx * 64 + row < N:
                C[bx * 64 + row] = s[row]
    return main


@case(sizes=[dict(N=64), dict(N=36), dict(N=4)], inputs=lambda rng, N: [bytes_(rng, N // 2)],
      reference=lambda x, N: [np.concatenate([values_of(x[0])[1::2], values_of(x[0])[::2]])], targets=EVERY)
def scopes_of_halves(N):
    """An index is odd in one loop and even in the next."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float4_e2m1fn"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(N // 2):
                at = i * 2 + 1
                C[i] = T.cast(A[at], "float32")
            for i in T.Parallel(N // 2):
                at = i * 2
                C[N // 2 + i] = T.cast(A[at], "float32")
    return main


@case(sizes=shapes(), inputs=operands, reference=lambda x, **_: [2 * product(x)[0]], terms=lambda K, **_: K, magnitude=2.0,
      targets=TARGETS)
def scopes_of_loops_and_buffers(M, N, K):
    """The names of loops' variables are those of later buffers, which the block's memory has from its beginning."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for out in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, out * 32], a)
                T.copy(B[out * 32, bx * 64], b)
                T.gemm(a, b, c)
            for tile, j in T.Parallel(64, 64):
                c[tile, j] = c[tile, j] * 2
            tile = T.alloc_fragment((64, 64), "float16")
            out = T.alloc_shared((64, 64), "float16")
            T.copy(c, tile)
            T.copy(tile, out)
            T.copy(out, C[by * 64, bx * 64])
    return main


@case(sizes=[dict(N=64), dict(N=37), dict(N=3)], inputs=lambda rng, N: [integers(rng, N)],
      reference=lambda x, N: [np.where(x[0] > 0, x[0], 3).astype(np.int32) + np.arange(N, dtype=np.int32) % 64], targets=EVERY)
def scopes_of_variables(N):
    """A variable that the iterations of a loop assign, and a loop's variable."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(T.ceildiv(N, 64), threads=32) as bx:
            s = T.alloc_shared((64,), "int32")
            for iteration in T.serial(1):
                v = T.alloc_var("int32")
                for i in T.Parallel(64):
                    v = A[bx * 64 + i]
                    if v <= 0:
                        v = 3
                    s[i] = v
            for v in T.Parallel(64):
                C[bx * 64 + v] = s[v] + v
    return main


def of_slices(x, M, N):
    a = x[0].astype(np.int64)
    y = np.zeros((M, N), np.int64)
    y[:, 1:] = a[:, :-1] * 2
    y[:, 0] = a[:, -1] + 5
    return [y]


@case(sizes=[dict(M=4, N=32), dict(M=3, N=10), dict(M=1, N=2)], inputs=lambda rng, M, N: [integers(rng, M, N, lo=-9, hi=9)],
      reference=of_slices, targets=EVERY)
def elements_of_slices(M, N):
    """A slice has elements and slices: indices count from where it begins, negative ones from its end."""
    @T.macro
    def doubled(row, out):
        for j in T.Parallel(N - 1):
            out[j + 1] = row[j] * 2
        out[0] = row[-1] + 5

    @T.prim_func
    def main(X: T.Tensor((M, N), "int32"), Y: T.Tensor((M, N), "int32")):
        with T.Kernel(M, threads=32) as i:
            s = T.alloc_shared((2, N), "int32")
            t = T.alloc_shared((2, 2, N), "int32")
            T.copy(X[i:i + 1, :][0, 0:N], s[1, :])
            doubled(s[1:2, :][0, :], t[1, :, :][i % 2, 0:N])
            T.copy(t[1, :, :][i % 2, :], Y[i, :])
    return main
