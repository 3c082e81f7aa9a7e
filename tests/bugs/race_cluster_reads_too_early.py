# SPDX-License-Identifier: Apache-2.0
"""The second half of a barrier of the cluster comes after the read that it should precede."""
import numpy as np
import tilelang.language as T

TARGET = "sm_90a"


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((4, 32), "float32"), P: T.Tensor((4, 32), "float32"), B: T.Tensor((4, 32), "float32")):
        with T.Kernel(4, threads=32, cluster_dims=2) as bx:
            line = T.alloc_fragment((32,), "float32")
            for i in T.Parallel(32):
                P[bx, i] = A[bx, i] * 2
            T.cluster_arrive()
            if not bug:
                T.cluster_wait()
            for i in T.Parallel(32):
                line[i] = P[bx // 2 * 2 + 1 - bx % 2, i]
            if bug:
                T.cluster_wait()
            T.copy(line, B[bx, :])
    return main


def arrays(rng):
    return [rng.random((4, 32), np.float32), np.zeros((4, 32), np.float32), np.zeros((4, 32), np.float32)]
#> tile level:
#> race: P[0, 0]  (128 times)
#>   race_cluster_reads_too_early.py, line 15    P[bx, i] = A[bx, i] * 2
#>                                                 block (0, 0) writes
#>   race_cluster_reads_too_early.py, line 20    line[i] = P[bx // 2 * 2 + 1 - bx % 2, i]
#>                                                 block (1, 0) reads
#>   race_cluster_reads_too_early.py, line 11    def main(A: T.Tensor((4, 32), "float32"), P: T.Tensor((4, 32), "float32"), B: T.Tensor((4, 32), "float32")):
#>                                                 declares P, shape [4, 32]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> thread level:
#> race: P[0, 0]  (128 times)
#>   race_cluster_reads_too_early.py, line 15    P[bx, i] = A[bx, i] * 2
#>                                                 block (0, 0) writes
#>   race_cluster_reads_too_early.py, line 20    line[i] = P[bx // 2 * 2 + 1 - bx % 2, i]
#>                                                 block (1, 0) reads
#>   race_cluster_reads_too_early.py, line 11    def main(A: T.Tensor((4, 32), "float32"), P: T.Tensor((4, 32), "float32"), B: T.Tensor((4, 32), "float32")):
#>                                                 declares P, shape [4, 32]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> flat level:
#> race: P[0, 0]  (128 times)
#>   race_cluster_reads_too_early.py, line 15    P[bx, i] = A[bx, i] * 2
#>                                                 block (0, 0) writes
#>   race_cluster_reads_too_early.py, line 20    line[i] = P[bx // 2 * 2 + 1 - bx % 2, i]
#>                                                 block (1, 0) reads
#>   race_cluster_reads_too_early.py, line 11    def main(A: T.Tensor((4, 32), "float32"), P: T.Tensor((4, 32), "float32"), B: T.Tensor((4, 32), "float32")):
#>                                                 declares P, shape [4, 32]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
