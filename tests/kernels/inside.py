# SPDX-License-Identifier: Apache-2.0
"""Loops inside of a T.Parallel: over elements of fragments, with bounds of their iteration."""
import numpy as np
import tilelang.language as T

from case import EVERY, case, floats, integers


@case(sizes=[dict(M=2, N=1024), dict(M=2, N=1000), dict(M=1, N=40)], inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, M, N: [x[0] * 2 + 1, x[0] * 2], outputs=(-2, -1), targets=EVERY)
def loops_inside_of_held_elements(M, N):
    """A thread holds eight adjacent elements and iterates over them."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            f = T.alloc_fragment((2, 1024), "float32")
            T.annotate_layout({f: T.Fragment((2, 1024), forward_fn=lambda i, j: (j // 8, i * 8 + j % 8))})
            for i, j in T.Parallel(2, 128):
                for k in T.vectorized(8):
                    f[i, j * 8 + k] = A[i, j * 8 + k] * 2
            for i, j in T.Parallel(2, 128):
                for k in T.serial(4):
                    B[i, j * 8 + k] = f[i, j * 8 + k] + 1
                for k in T.serial(4, 8):
                    B[i, j * 8 + k] = f[i, j * 8 + k] + 1
            T.copy(f, C[0, 0])
    return main


@case(sizes=[dict(M=64, N=128), dict(M=63, N=120), dict(M=1, N=7)], inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, M, N: [x[0] * 2, np.concatenate([x[0][:, :1] * 2, x[0][:, 1:] * 2 + x[0][:, :-1] * 2], 1)],
      outputs=(-2, -1), targets=EVERY)
def loops_inside_of_any_elements(M, N):
    """The compiler has spread the elements; a loop inside reaches over to the eight before."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            f = T.alloc_fragment((64, 128), "float32")
            T.copy(A[0, 0], f)
            for i, j in T.Parallel(64, 128):
                f[i, j] = f[i, j] * 2
            T.copy(f, B[0, 0])
            for i, j in T.Parallel(64, 16):
                for k in T.serial(8):
                    C[i, j * 8 + k] = f[i, j * 8 + k]
                    if j * 8 + k > 0:
                        C[i, j * 8 + k] = C[i, j * 8 + k] + f[i, j * 8 + k - 1]
    return main


@case(sizes=[dict(N=8, how=how) for how in ("index", "step", "tensor", "unrolled", "named twice")],
      inputs=lambda rng, N, how: [integers(rng, 4 * N), np.cumsum(rng.integers(0, 4, N + 1)).astype(np.int32)],
      reference=lambda x, N, how: [np.array([x[0][slice(*rows_of(how, r, x[1]))].sum() for r in range(N)], np.int32)])
def loop_that_begins_at_each_iterations_place(N, how):
    """A serial loop in a T.Parallel whose first or next iteration differs between the iterations of the T.Parallel."""
    @T.prim_func
    def main(A: T.Tensor((4 * N,), "int32"), R: T.Tensor((N + 1,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            sums = T.alloc_fragment((N,), "int32")
            T.clear(sums)
            for r in T.Parallel(N):
                if how == "named twice":
                    for p in T.serial(0, 0):
                        sums[r] += A[p]
                if how == "step":
                    for p in T.serial(1, 2 * N, r + 1):
                        sums[r] += A[p]
                elif how == "tensor":
                    for p in T.serial(R[r], R[r + 1]):
                        sums[r] += A[p]
                elif how == "unrolled":
                    for p in T.unroll(2 * r, 2 * r + 2):
                        sums[r] += A[p]
                else:
                    for p in T.serial(2 * r, 2 * r + 2):
                        sums[r] += A[p]
            T.copy(sums, B)
    return main


def rows_of(how, r, rows):
    return (1, 16, r + 1) if how == "step" else (rows[r], rows[r + 1]) if how == "tensor" else (2 * r, 2 * r + 2)


@case(sizes=[dict(N=8), dict(N=5), dict(N=32)], inputs=lambda rng, N: [integers(rng, 4 * N)],
      reference=lambda x, N: [np.array([sum(x[0][p + q * 2 + r] for q in range(2) for p in range(2)) for r in range(N)], np.int32)])
def body_on_the_line_of_its_loop(N):
    """The target of the loop is not what its body assigns."""
    @T.prim_func
    def main(A: T.Tensor((4 * N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=32):
            for r in T.Parallel(N):
                a = T.alloc_var("int32", init=0)
                for q in T.serial(2):
                    for p in T.serial(2): a += A[p + q * 2 + r]  # noqa: E701
                B[r] = a
    return main
