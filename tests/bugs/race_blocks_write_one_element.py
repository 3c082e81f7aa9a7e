# SPDX-License-Identifier: Apache-2.0
"""Two blocks write the same element."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(2, threads=32) as bx:
            for i in T.Parallel(32):
                if bug:
                    B[bx * 16 + i] = A[bx * 32 + i]
                else:
                    B[bx * 32 + i] = A[bx * 32 + i]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> race: B[16]  (16 times)
#>   race_blocks_write_one_element.py, line 13    B[bx * 16 + i] = A[bx * 32 + i]
#>                                                  block (0, 0) writes
#>   race_blocks_write_one_element.py, line 13    B[bx * 16 + i] = A[bx * 32 + i]
#>                                                  block (1, 0) writes
#>   race_blocks_write_one_element.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                                  declares B, shape [64]
#> help: blocks have no order: let each block write separate elements; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> thread level:
#> race: B[16]  (16 times)
#>   race_blocks_write_one_element.py, line 13    B[bx * 16 + i] = A[bx * 32 + i]
#>                                                  block (0, 0) writes
#>   race_blocks_write_one_element.py, line 13    B[bx * 16 + i] = A[bx * 32 + i]
#>                                                  block (1, 0) writes
#>   race_blocks_write_one_element.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                                  declares B, shape [64]
#> help: blocks have no order: let each block write separate elements; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> flat level:
#> race: B[16]  (16 times)
#>   race_blocks_write_one_element.py, line 13    B[bx * 16 + i] = A[bx * 32 + i]
#>                                                  block (0, 0) writes
#>   race_blocks_write_one_element.py, line 13    B[bx * 16 + i] = A[bx * 32 + i]
#>                                                  block (1, 0) writes
#>   race_blocks_write_one_element.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                                  declares B, shape [64]
#> help: blocks have no order: let each block write separate elements; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
