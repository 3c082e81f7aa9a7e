# SPDX-License-Identifier: Apache-2.0
"""A loop over more elements than the thread has."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            x = T.alloc_local((4,), "float32")
            n = T.alloc_var("int32")
            for k in T.serial(4):
                x[k] = A[tx]
            n = 0
            while n < (5 if bug else 4):
                B[tx] = x[n]
                n = n + 1
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> out-of-bounds: x[4] in block (0, 0), index [4] of shape [4]  (64 times)
#>   bounds_local.py, line 18    B[tx] = x[n]                          thread 0 reads
#>   bounds_local.py, line 12    x = T.alloc_local((4,), "float32")    declares x, shape [4]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
#> thread level:
#> out-of-bounds: x[4] in block (0, 0), index 4 is not in [0, 4)  (64 times)
#>   bounds_local.py, line 18    B[tx] = x[n]                          thread 0 (warp 0, lane 0) reads
#>   bounds_local.py, line 12    x = T.alloc_local((4,), "float32")    declares x, 4 elements in each thread
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
#> flat level:
#> out-of-bounds: x[4] in block (0, 0), index 4 is not in [0, 4)  (64 times)
#>   bounds_local.py, line 18    B[tx] = x[n]                          thread 0 (warp 0, lane 0) reads
#>   bounds_local.py, line 12    x = T.alloc_local((4,), "float32")    declares x, 4 elements in each thread
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
