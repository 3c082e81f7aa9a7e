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
#> tile level:
#> race: B[0]  (64 times)
#>   race_update_beside_its_neighbour.py, line 12    B[bx * 32 + i] = B[bx * 32 + i] + B[(bx * 32 + i + 32) % 64 if bug else bx * 32 + i]
#>                                                     block (0, 0) writes
#>   race_update_beside_its_neighbour.py, line 12    B[bx * 32 + i] = B[bx * 32 + i] + B[(bx * 32 + i + 32) % 64 if bug else bx * 32 + i]
#>                                                     block (1, 0) reads
#>   race_update_beside_its_neighbour.py, line 9     def main(B: T.Tensor((64,), "float32")):
#>                                                     declares B, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> thread level:
#> race: B[0]  (64 times)
#>   race_update_beside_its_neighbour.py, line 12    B[bx * 32 + i] = B[bx * 32 + i] + B[(bx * 32 + i + 32) % 64 if bug else bx * 32 + i]
#>                                                     block (0, 0) writes
#>   race_update_beside_its_neighbour.py, line 12    B[bx * 32 + i] = B[bx * 32 + i] + B[(bx * 32 + i + 32) % 64 if bug else bx * 32 + i]
#>                                                     block (1, 0) reads
#>   race_update_beside_its_neighbour.py, line 9     def main(B: T.Tensor((64,), "float32")):
#>                                                     declares B, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> flat level:
#> race: B[0]  (64 times)
#>   race_update_beside_its_neighbour.py, line 12    B[bx * 32 + i] = B[bx * 32 + i] + B[(bx * 32 + i + 32) % 64 if bug else bx * 32 + i]
#>                                                     block (0, 0) writes
#>   race_update_beside_its_neighbour.py, line 12    B[bx * 32 + i] = B[bx * 32 + i] + B[(bx * 32 + i + 32) % 64 if bug else bx * 32 + i]
#>                                                     block (1, 0) reads
#>   race_update_beside_its_neighbour.py, line 9     def main(B: T.Tensor((64,), "float32")):
#>                                                     declares B, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
