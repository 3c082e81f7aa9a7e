# SPDX-License-Identifier: Apache-2.0
"""A kernel with a race, for `tilelab check`: an iteration reads what another one writes."""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def transpose(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), B: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=64) as bx:
            S = T.alloc_shared((N, N), "float32")
            T.copy(A, S)
            for i, j in T.Parallel(N, N):
                S[j, i] = S[i, j]
            T.copy(S, B)

    return main


transpose(16)(np.arange(256, dtype="float32").reshape(16, 16))
