# SPDX-License-Identifier: Apache-2.0
"""In place, a block reads the element that it writes and one of another block."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(B: T.Tensor((64,), "float32")):
        with T.Kernel(2, threads=32) as bx:
            for i in T.Parallel(32):
                B[bx * 32 + i] = B[bx * 32 + i] + B[(bx * 32 + i + 32) % 64 if bug else bx * 32 + i]
    return main


def arrays(rng):
    return [rng.random(64, np.float32)]
