# SPDX-License-Identifier: Apache-2.0
"""A block reads what another block of the same launch writes."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(2, threads=32) as bx:
            for i in T.Parallel(32):
                B[bx * 32 + i] = A[bx * 32 + i] * 2.0
            for i in T.Parallel(32):
                if bug:
                    B[bx * 32 + i] = B[(bx * 32 + i + 32) % 64]
                else:
                    B[bx * 32 + i] = B[bx * 32 + i] + 1.0
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> race: B[32]  (32 times)
#>   race_block_reads_its_neighbour.py, line 15    B[bx * 32 + i] = B[(bx * 32 + i + 32) % 64]
#>                                                   block (0, 0) reads
#>   race_block_reads_its_neighbour.py, line 12    B[bx * 32 + i] = A[bx * 32 + i] * 2.0
#>                                                   block (1, 0) writes
#>   race_block_reads_its_neighbour.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                                   declares B, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#>
#> race: B[0]  (64 times)
#>   race_block_reads_its_neighbour.py, line 15    B[bx * 32 + i] = B[(bx * 32 + i + 32) % 64]
#>                                                   block (0, 0) writes
#>   race_block_reads_its_neighbour.py, line 15    B[bx * 32 + i] = B[(bx * 32 + i + 32) % 64]
#>                                                   block (1, 0) reads
#>   race_block_reads_its_neighbour.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                                   declares B, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> thread level:
#> race: B[0]  (64 times)
#>   race_block_reads_its_neighbour.py, line 15    B[bx * 32 + i] = B[(bx * 32 + i + 32) % 64]
#>                                                   block (0, 0) writes
#>   race_block_reads_its_neighbour.py, line 15    B[bx * 32 + i] = B[(bx * 32 + i + 32) % 64]
#>                                                   block (1, 0) reads
#>   race_block_reads_its_neighbour.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                                   declares B, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> flat level:
#> race: B[0]  (64 times)
#>   race_block_reads_its_neighbour.py, line 15    B[bx * 32 + i] = B[(bx * 32 + i + 32) % 64]
#>                                                   block (0, 0) writes
#>   race_block_reads_its_neighbour.py, line 15    B[bx * 32 + i] = B[(bx * 32 + i + 32) % 64]
#>                                                   block (1, 0) reads
#>   race_block_reads_its_neighbour.py, line 9     def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>                                                   declares B, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
