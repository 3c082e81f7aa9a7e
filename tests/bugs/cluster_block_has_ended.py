# SPDX-License-Identifier: Apache-2.0
"""A block copies to one that has ended: its shared memory may already belong to another block."""
import numpy as np
import tilelang.language as T

TARGET = "sm_90a"


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((2, 32), "float32"), B: T.Tensor((2, 32), "float32")):
        with T.Kernel(2, threads=32, cluster_dims=2) as bx:
            received = T.alloc_shared((32,), "float32")
            line = T.alloc_fragment((32,), "float32")
            T.copy(A[bx, :], line)
            T.cluster_sync()
            if bx == 1:
                T.cluster_sync()
                T.copy_cluster(line, received, dst_block=0)
                T.cluster_sync()
            elif not bug:
                T.cluster_sync()
                T.cluster_sync()
            T.copy(line, B[bx, :])
    return main


def arrays(rng):
    return [rng.random((2, 32), np.float32), np.zeros((2, 32), np.float32)]
#> tile level:
#> cluster: in block (1, 0), block 0 of the cluster has ended
#>   cluster_block_has_ended.py, line 19    T.copy_cluster(line, received, dst_block=0)
#>                                            writes to another block
#> help: let each thread arrive once and wait once, and end with T.cluster_sync() while other blocks use the block's memory
#> in kernel main
#> thread level:
#> cluster: in block (1, 0), block 0 of the cluster has ended  (32 times)
#>   cluster_block_has_ended.py, line 19    T.copy_cluster(line, received, dst_block=0)
#>                                            thread 0 (warp 0, lane 0) writes to another block
#> help: let each thread arrive once and wait once, and end with T.cluster_sync() while other blocks use the block's memory
#> in kernel main
#> flat level:
#> cluster: in block (1, 0), block 0 of the cluster has ended  (32 times)
#>   cluster_block_has_ended.py, line 19    T.copy_cluster(line, received, dst_block=0)
#>                                            thread 0 (warp 0, lane 0) writes to another block
#> help: let each thread arrive once and wait once, and end with T.cluster_sync() while other blocks use the block's memory
#> in kernel main
