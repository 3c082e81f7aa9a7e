# SPDX-License-Identifier: Apache-2.0
"""Tile operations of a range of threads: `if tx < 64: T.copy(...)`."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

LINE = [dict(N=1024), dict(N=333), dict(N=1)]
TILES = [dict(M=64, N=64), dict(M=37, N=50), dict(M=1, N=3)]


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N)], reference=lambda x, **_: [x[0] * 2.0 + 1.0])
def copied_by_half(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            s = T.alloc_shared((32, 32), "float32")
            tx = T.get_thread_binding(0)
            if tx >= 64 and tx < 128:
                T.copy(A[by * 32, bx * 32], s)
            if tx < 64:
                for i, j in T.Parallel(32, 32):
                    s[i, j] = s[i, j] * 2.0 + 1.0
            T.copy(s, B[by * 32, bx * 32])
    return main


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N), floats(rng, M, N)],
      reference=lambda x, **_: [x[0] + 1.0, x[1] - 1.0], outputs=[2, 3])
def each_branch_its_tile(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"),
             C: T.Tensor((M, N), "float32"), D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 16), T.ceildiv(M, 16), threads=96) as (bx, by):
            x = T.alloc_fragment((16, 16), "float32")
            y = T.alloc_fragment((16, 16), "float32")
            warp = T.get_thread_binding(0) // 32
            if warp == 0:
                T.copy(A[by * 16, bx * 16], x)
                for i, j in T.Parallel(16, 16):
                    x[i, j] += 1.0
                T.copy(x, C[by * 16, bx * 16])
            else:
                T.copy(B[by * 16, bx * 16], y)
                for i, j in T.Parallel(16, 16):
                    y[i, j] -= 1.0
                T.copy(y, D[by * 16, bx * 16])
    return main


@case(sizes=[dict(M=64, N=64, K=64), dict(M=37, N=50, K=29), dict(M=1, N=3, K=2)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K), floats(rng, K, N)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K)
def gemm_of_a_warp_group(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float32"), B: T.Tensor((K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 16), T.ceildiv(M, 16), threads=192) as (bx, by):
            a = T.alloc_shared((16, 8), "float32")
            b = T.alloc_shared((8, 16), "float32")
            c = T.alloc_fragment((16, 16), "float32")
            tx = T.get_thread_binding(0)
            consumer = tx >= 128
            if consumer:
                T.clear(c)
            for k in T.serial(T.ceildiv(K, 8)):
                if tx < 128:
                    T.copy(A[by * 16, k * 8], a)
                    T.copy(B[k * 8, bx * 16], b)
                if consumer:
                    T.gemm(a, b, c)
            T.copy(c, C[by * 16, bx * 16])
    return main


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, **_: [x[0].astype(np.float64).sum(1), x[0].max(1)], outputs=[1, 2],
      terms=lambda N, **_: N)
def reductions_of_ranges(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), S: T.Tensor((M,), "float32"), B: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, 4), threads=256) as bx:
            s = T.alloc_shared((4, 64), "float32")
            x = T.alloc_fragment((4, 64), "float32")
            y = T.alloc_fragment((4, 64), "float32")
            total = T.alloc_fragment((4,), "float32")
            best = T.alloc_fragment((4,), "float32")
            T.copy(A[bx * 4, 0], s)
            tx = T.get_thread_binding(0)
            if tx < 128:
                T.copy(s, x)
                T.reduce_sum(x, total, dim=1)
                T.copy(total, S[bx * 4])
            if tx >= 128:
                if tx < 129:
                    for i, j in T.Parallel(4, 64):
                        y[i, j] = T.if_then_else(j < N, s[i, j], -T.infinity("float32"))
                    T.reduce_max(y, best, dim=1)
                    T.copy(best, B[bx * 4])
    return main


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N), np.int32(1)], reference=lambda x, N: [x[0] + 3.0])
def ranges_in_loops(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), go: T.int32, B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
            s = T.alloc_shared((128,), "float32")
            t = T.alloc_shared((128,), "float32")
            tx = T.get_thread_binding(0)
            T.copy(A[bx * 128], s)
            for k in T.serial(3):
                if go > 0 and tx < 32:
                    for p in T.serial(2):
                        T.copy(s[p * 64:p * 64 + 64], t[p * 64:p * 64 + 64])
                if tx >= 32 and go == 1:
                    for i in T.Parallel(128):
                        s[i] = t[i] + 1.0
            T.copy(s, B[bx * 128])
    return main


@case(sizes=[dict(N=64), dict(N=33), dict(N=1)],
      inputs=lambda rng, N: [rng.integers(-50, 50, N).astype(np.int32), np.array([7], np.int32)],
      reference=lambda x, N: [x[1] + x[0].sum(dtype=np.int32), x[0][:1]], outputs=[2, 3])
def one_element_by_a_range(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), S: T.Tensor((1,), "int32"), B: T.Tensor((1,), "int32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((1,), "int32")
            t = T.alloc_shared((1,), "int32")
            tx = T.get_thread_binding(0)
            if tx >= 32 and tx < 96:
                T.copy(S, s)
            for i in T.serial(N):
                if tx >= 64:
                    T.copy(A[i:i + 1], t)
                if tx < 64:
                    T.atomic_add(s, t)
            if tx >= 16:
                T.copy(s, B)
            T.copy(A[0:1], C)
    return main


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N)], reference=lambda x, N: [x[0] + 2.0])
def fragment_of_a_range(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 256), threads=128) as bx:
            x = T.alloc_fragment((256,), "float32")
            tx = T.get_thread_binding(0)
            T.copy(A[bx * 256], x)
            if tx >= 64:
                for i in T.Parallel(256):
                    x[i] += 1.0
            for i in T.Parallel(256):
                x[i] += 1.0
            T.copy(x, B[bx * 256])
    return main


def counted(x, N):
    values, sizes = x
    out = np.full_like(values, -1)
    for b, size in enumerate(sizes):
        rows = min(max(int(size) - 100, 0), 64)
        out[b, :rows] = 2 * values[b, :rows] if rows == 64 else 3 * values[b, :rows]
    return [out]


@case(sizes=[dict(N=40), dict(N=9), dict(N=1)], reference=counted,
      inputs=lambda rng, N: [integers(rng, N, 64), integers(rng, N, lo=90, hi=175)], outputs=[2])
def tiles_whole_or_cut(N):
    """A count between two bounds, asked whether it is the upper one."""
    @T.prim_func
    def main(A: T.Tensor((N, 64), "int32"), sizes: T.Tensor((N,), "int32"), B: T.Tensor((N, 64), "int32")):
        with T.Kernel(N, threads=64) as b:
            rows = T.max(0, T.min(64, sizes[b] - 100))
            for i in T.Parallel(64):
                B[b, i] = -1
            if rows == 64:
                for i in T.Parallel(64):
                    B[b, i] = A[b, i] * 2
            else:
                for i in T.Parallel(64):
                    if i < rows:
                        B[b, i] = A[b, i] * 3
    return main
