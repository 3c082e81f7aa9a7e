# SPDX-License-Identifier: Apache-2.0
"""One block of a split sum resets the output while the others add to it."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((4, 32), "float32"), C: T.Tensor((32,), "float32")):
        with T.Kernel(4, threads=32) as bx:
            if bug and bx == 0:
                for i in T.Parallel(32):
                    C[i] = 0.0
            for i in T.Parallel(32):
                T.atomic_add(C[i], A[bx, i])
    return main


def arrays(rng):
    return [rng.random((4, 32), np.float32), np.ones(32, np.float32)]
