# SPDX-License-Identifier: Apache-2.0
"""A block reads what another one of its cluster copies to it, without a barrier of the cluster between."""
import numpy as np
import tilelang.language as T

TARGET = "sm_90a"


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((2, 64), "float32"), B: T.Tensor((2, 64), "float32")):
        with T.Kernel(2, threads=64, cluster_dims=2) as bx:
            mine = T.alloc_shared((64,), "float32")
            received = T.alloc_shared((64,), "float32")
            T.copy(A[bx, :], mine)
            T.copy_cluster(mine, received, dst_block=1 - bx)
            if bug:
                T.sync_threads()
            else:
                T.cluster_sync()
            T.copy(received, B[bx, :])
    return main


def arrays(rng):
    return [rng.random((2, 64), np.float32), np.zeros((2, 64), np.float32)]
#> tile level:
#> uninitialized: received[0] in block (0, 0)
#>   race_copy_to_another_block.py, line 21    T.copy(received, B[bx, :])
#>                                               reads
#>   race_copy_to_another_block.py, line 14    received = T.alloc_shared((64,), "float32")
#>                                               declares received, shape [64]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#>
#> cluster: in block (1, 0), block 0 of the cluster has ended
#>   race_copy_to_another_block.py, line 16    T.copy_cluster(mine, received, dst_block=1 - bx)
#>                                               writes to another block
#> help: let each thread arrive once and wait once, and end with T.cluster_sync() while other blocks use the block's memory
#> in kernel main
#> thread level:
#> race: received[32]  (128 times)
#>   race_copy_to_another_block.py, line 16    T.copy_cluster(mine, received, dst_block=1 - bx)
#>                                               block 1 of the cluster writes
#>   race_copy_to_another_block.py, line 21    T.copy(received, B[bx, :])
#>                                               thread 32 (warp 1, lane 0) reads
#>   race_copy_to_another_block.py, line 14    received = T.alloc_shared((64,), "float32")
#>                                               declares received, shape [64]
#> help: the blocks of a cluster have no order: put T.cluster_sync() between the two
#> in kernel main
#> flat level:
#> race: received[32]  (128 times)
#>   race_copy_to_another_block.py, line 16    T.copy_cluster(mine, received, dst_block=1 - bx)
#>                                               block 1 of the cluster writes
#>   race_copy_to_another_block.py, line 21    T.copy(received, B[bx, :])
#>                                               thread 32 (warp 1, lane 0) reads
#>   race_copy_to_another_block.py, line 14    received = T.alloc_shared((64,), "float32")
#>                                               declares received, shape [64]
#> help: the blocks of a cluster have no order: put T.cluster_sync() between the two
#> in kernel main
