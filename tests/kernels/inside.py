# SPDX-License-Identifier: Apache-2.0
"""Loops inside of a T.Parallel, over elements of fragments."""
import numpy as np
import tilelang.language as T

from case import EVERY, case, floats


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
