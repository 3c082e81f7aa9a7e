# SPDX-License-Identifier: Apache-2.0
"""Two iterations exchange elements of global memory."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            for i in T.Parallel(64):
                if bug:
                    B[i] = B[63 - i]
                else:
                    B[i] = A[63 - i]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), rng.random(64, np.float32)]
#> tile level:
#> race: B[0] in block (0, 0)  (64 times)
#>   race_reverse_in_place.py, line 13    B[i] = B[63 - i]
#>                                          iteration i = 63 reads
#>   race_reverse_in_place.py, line 13    B[i] = B[63 - i]
#>                                          iteration i = 0 writes
#>   race_reverse_in_place.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                          declares B, shape [64]
#> help: iterations of T.Parallel run concurrently: write to a second buffer; use T.atomic_add for a sum
#> in kernel main
#> thread level:
#> race: B[31] in block (0, 0)  (64 times)
#>   race_reverse_in_place.py, line 13    B[i] = B[63 - i]
#>                                          thread 31 (warp 0, lane 31) writes
#>   race_reverse_in_place.py, line 13    B[i] = B[63 - i]
#>                                          thread 32 (warp 1, lane 0) reads
#>   race_reverse_in_place.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                          declares B, shape [64]
#> help: threads run this line concurrently: write to a second buffer; use T.atomic_add for a sum
#> in kernel main
#> flat level:
#> race: B[31] in block (0, 0)  (64 times)
#>   race_reverse_in_place.py, line 13    B[i] = B[63 - i]
#>                                          thread 31 (warp 0, lane 31) writes
#>   race_reverse_in_place.py, line 13    B[i] = B[63 - i]
#>                                          thread 32 (warp 1, lane 0) reads
#>   race_reverse_in_place.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                          declares B, shape [64]
#> help: threads run this line concurrently: write to a second buffer; use T.atomic_add for a sum
#> in kernel main
