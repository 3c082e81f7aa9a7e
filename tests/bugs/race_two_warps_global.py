# SPDX-License-Identifier: Apache-2.0
"""Two warps store to one element without order. Tile level runs a statement in all threads at once: not seen there."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            if bug:
                B[tx % 32] = A[tx]
            else:
                B[tx] = A[tx]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level: nothing is found
#> thread level:
#> race: B[0] in block (0, 0)  (32 times)
#>   race_two_warps_global.py, line 13    B[tx % 32] = A[tx]
#>                                          thread 0 (warp 0, lane 0) writes
#>   race_two_warps_global.py, line 13    B[tx % 32] = A[tx]
#>                                          thread 32 (warp 1, lane 0) writes
#>   race_two_warps_global.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                          declares B, shape [64]
#> help: threads run this line concurrently: let each thread write separate elements; use T.atomic_add for a sum
#> in kernel main
#> flat level:
#> race: B[0] in block (0, 0)  (32 times)
#>   race_two_warps_global.py, line 13    B[tx % 32] = A[tx]
#>                                          thread 0 (warp 0, lane 0) writes
#>   race_two_warps_global.py, line 13    B[tx % 32] = A[tx]
#>                                          thread 32 (warp 1, lane 0) writes
#>   race_two_warps_global.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                          declares B, shape [64]
#> help: threads run this line concurrently: let each thread write separate elements; use T.atomic_add for a sum
#> in kernel main
