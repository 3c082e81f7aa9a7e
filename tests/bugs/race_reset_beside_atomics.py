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
#> tile level:
#> race: C[0]  (96 times)
#>   race_reset_beside_atomics.py, line 13    C[i] = 0.0
#>                                              block (0, 0) writes
#>   race_reset_beside_atomics.py, line 15    T.atomic_add(C[i], A[bx, i])
#>                                              block (1, 0) updates
#>   race_reset_beside_atomics.py, line 9     def main(A: T.Tensor((4, 32), "float32"), C: T.Tensor((32,), "float32")):
#>                                              declares C, shape [32]
#> help: blocks have no order: let each block write separate elements; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> thread level: nothing is found
#> flat level: nothing is found
