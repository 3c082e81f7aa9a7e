# SPDX-License-Identifier: Apache-2.0
"""The last block of a cluster copies to the next rank, which is that of no block."""
import numpy as np
import tilelang.language as T

TARGET = "sm_90a"


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((2, 64), "float32"), B: T.Tensor((2, 64), "float32")):
        with T.Kernel(2, threads=64, cluster_dims=2) as bx:
            received = T.alloc_shared((64,), "float32")
            line = T.alloc_fragment((64,), "float32")
            T.clear(received)
            T.copy(A[bx, :], line)
            T.cluster_sync()
            T.copy_cluster(line, received, dst_block=bx + 1 if bug else (bx + 1) % 2)
            T.cluster_sync()
            T.copy(received, B[bx, :])
    return main


def arrays(rng):
    return [rng.random((2, 64), np.float32), np.zeros((2, 64), np.float32)]
#> tile level:
#> cluster: in block (1, 0), rank 2 is not in [0, 2)
#>   cluster_rank_outside.py, line 18    T.copy_cluster(line, received, dst_block=bx + 1 if bug else (bx + 1) % 2)
#>                                         writes to another block
#> help: let each thread arrive once and wait once, and end with T.cluster_sync() while other blocks use the block's memory
#> in kernel main
#> thread level:
#> cluster: in block (1, 0), rank 2 is not in [0, 2)  (64 times)
#>   cluster_rank_outside.py, line 18    T.copy_cluster(line, received, dst_block=bx + 1 if bug else (bx + 1) % 2)
#>                                         thread 0 (warp 0, lane 0) writes to another block
#> help: let each thread arrive once and wait once, and end with T.cluster_sync() while other blocks use the block's memory
#> in kernel main
#> flat level:
#> cluster: in block (1, 0), rank 2 is not in [0, 2)  (64 times)
#>   cluster_rank_outside.py, line 18    T.copy_cluster(line, received, dst_block=bx + 1 if bug else (bx + 1) % 2)
#>                                         thread 0 (warp 0, lane 0) writes to another block
#> help: let each thread arrive once and wait once, and end with T.cluster_sync() while other blocks use the block's memory
#> in kernel main
