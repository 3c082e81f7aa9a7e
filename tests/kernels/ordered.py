# SPDX-License-Identifier: Apache-2.0
"""Loops whose statements run as T.Pipelined(order=, stage=) says."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

# TileLang's own four, two whose factors come at different times, and one number for both copies.
SCHEDULES = [dict(order=[0, 1, 2], stage=[0, 0, 1]), dict(order=[0, 1, 2], stage=[0, 0, 2]),
             dict(order=[1, 2, 0], stage=[0, 0, 2]), dict(order=[1, 2, 0], stage=[0, 0, 1]),
             dict(order=[2, 0, 1], stage=[0, 1, 2]), dict(order=[0, 1, 2], stage=[3, 3, 3]),
             dict(order=[1, 0], stage=[0, 1], group=[[0, 1], [2]])]


@case(sizes=[dict(M=64, N=64, K=128, schedule=i) for i in range(len(SCHEDULES))]
      + [dict(M=37, N=50, K=K, schedule=i) for i, K in ((1, 16), (2, 29), (4, 70), (6, 3))],
      inputs=lambda rng, M, N, K, **_: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K)
def ordered_gemm(M, N, K, schedule):
    given = SCHEDULES[schedule]

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            a = T.alloc_shared((32, 16), "float16")
            b = T.alloc_shared((16, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 16), **given):
                T.copy(A[by * 32, k * 16], a)
                T.copy(B[k * 16, bx * 32], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 32, bx * 32])
    return main


@case(sizes=[dict(N=256, iterations=1), dict(N=100, iterations=1), dict(N=16, iterations=1), dict(N=90, iterations=3)],
      inputs=lambda rng, N, iterations: [floats(rng, N)], reference=lambda x, **_: [x[0] * 2.0])
def ordered_through_three(N, iterations):
    """Loads, work and stores of three iterations at a time; a fragment that is emptied before it is filled again. Again in
    a second loop."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((16,), "float32")
            f = T.alloc_fragment((16,), "float32")
            for again in range(iterations):
                for k in T.Pipelined(T.ceildiv(N, 16), order=[2, 1, 0], stage=[0, 1, 2]):
                    base = k * 16
                    T.copy(A[base], s)
                    for i in T.Parallel(16):
                        f[i] = s[i] * 2.0
                    T.copy(f, B[base])
    return main


@case(sizes=[dict(iterations=5), dict(iterations=1), dict(iterations=0)], inputs=lambda rng, iterations: [floats(rng, 128), np.int32(iterations)],
      reference=lambda x, iterations: [np.concatenate([x[0][:iterations * 16] + 1.0, np.zeros(128 - iterations * 16)])])
def ordered_iterations_of_a_call(iterations):
    """Only the call determines the iteration count, which may be below the number of stages. The list counts `base`, as programs did."""
    @T.prim_func
    def main(A: T.Tensor((128,), "float32"), n: T.int32, B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((16,), "float32")
            T.fill(B, 0)
            for k in T.Pipelined(n, order=[0, 2, 1], stage=[0, 0, 2]):
                base = k * 16
                T.copy(A[base], s)
                for i in T.Parallel(16):
                    B[base + i] = s[i] + 1.0
    return main


@case(sizes=[dict(N=64), dict(N=40), dict(N=2)], inputs=lambda rng, N: [integers(rng, N, 16)], reference=lambda x, N: [x[0].sum(0)])
def ordered_sum(N):
    """An accumulator that every iteration continues, under a condition."""
    @T.prim_func
    def main(A: T.Tensor((N, 16), "int32"), B: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((4, 16), "int32")
            t = T.alloc_fragment((16,), "int32")
            T.clear(t)
            for k in T.Pipelined(T.ceildiv(N, 4), order=[0, 1], stage=[0, 2]):
                T.copy(A[k * 4, 0], s)
                if k >= 0:
                    for i in T.Parallel(16):
                        for j in range(4):
                            t[i] += s[j, i]
            T.copy(t, B)
    return main


@case(sizes=[dict(M=64, N=32, K=128), dict(M=70, N=40, K=72), dict(M=3, N=2, K=5)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, K, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64) + 2.0 * -(-K // 32)],
      terms=lambda K, **_: 2 * K, targets=("mp_31", "mp_22", "sm_90a", "sm_80"))
def ordered_memory_of_a_part(M, N, K):
    """A part's local declaration inside a loop belongs to another part in earlier iterations."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            d = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            T.clear(d)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2, order=[0, 1, 2, 3], stage=[0, 0, 0, 1]):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 32], b)
                for j in T.serial(2):
                    t = T.alloc_fragment((64, 32), "float32")
                    T.fill(t, 1.0)
                    for i, l in T.Parallel(64, 32):
                        d[i, l] += t[i, l]
                T.gemm(a, b, c)
            for i, l in T.Parallel(64, 32):
                c[i, l] += d[i, l]
            T.copy(c, C[by * 64, bx * 32])
    return main
