# SPDX-License-Identifier: Apache-2.0
"""All iterations write the same element."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            for i in T.Parallel(64):
                if bug:
                    B[0] = A[i]
                else:
                    B[i] = A[i]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> race: B[0] in block (0, 0)  (63 times)
#>   race_one_element.py, line 13    B[0] = A[i]
#>                                     iteration i = 0 writes
#>   race_one_element.py, line 13    B[0] = A[i]
#>                                     iteration i = 1 writes
#>   race_one_element.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                     declares B, shape [64]
#> help: iterations of T.Parallel run concurrently: let each iteration write separate elements; use T.atomic_add for a sum
#> in kernel main
#> thread level:
#> race: B[0] in block (0, 0)  (63 times)
#>   race_one_element.py, line 13    B[0] = A[i]
#>                                     thread 0 (warp 0, lane 0) writes
#>   race_one_element.py, line 13    B[0] = A[i]
#>                                     thread 1 (warp 0, lane 1) writes
#>   race_one_element.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                     declares B, shape [64]
#> help: threads run this line concurrently: let each thread write separate elements; use T.atomic_add for a sum
#> in kernel main
#> flat level:
#> race: B[0] in block (0, 0)  (63 times)
#>   race_one_element.py, line 13    B[0] = A[i]
#>                                     thread 0 (warp 0, lane 0) writes
#>   race_one_element.py, line 13    B[0] = A[i]
#>                                     thread 1 (warp 0, lane 1) writes
#>   race_one_element.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                     declares B, shape [64]
#> help: threads run this line concurrently: let each thread write separate elements; use T.atomic_add for a sum
#> in kernel main
