# SPDX-License-Identifier: Apache-2.0
"""Blocks along an axis of the grid all add the whole sum."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((32, 128), "float32"), B: T.Tensor((32,), "float32")):
        with T.Kernel(4, threads=32) as bx:
            a = T.alloc_shared((32, 32), "float32")
            total = T.alloc_fragment((32,), "float32")
            T.copy(A[0, 0 if bug else bx * 32], a)
            T.reduce_sum(a, total, dim=1)
            T.atomic_add(B, total)
    return main


def arrays(rng):
    return [rng.random((32, 128), np.float32), np.zeros(32, np.float32)]
#> tile level:
#> redundant-block-sum: B[0] in block (3, 0)
#>   redundant_block_sum_split_k.py, line 15    T.atomic_add(B, total)
#>                                                block (0, 0) adds to
#>   redundant_block_sum_split_k.py, line 15    T.atomic_add(B, total)
#>                                                block (1, 0) adds the same value to
#>   redundant_block_sum_split_k.py, line 9     def main(A: T.Tensor((32, 128), "float32"), B: T.Tensor((32,), "float32")):
#>                                                declares B, shape [32]
#> help: give each block a separate part: use the block index in the index of what it reads
#> in kernel main
#> thread level: nothing is found
#> flat level: nothing is found
