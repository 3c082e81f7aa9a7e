# SPDX-License-Identifier: Apache-2.0
"""A store at an index from memory that is too large."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            s = T.alloc_shared((64,), "float32")
            s[tx] = 0.0
            T.sync_threads()
            if bug:
                s[A[tx] + 1] = 1.0
            else:
                s[A[tx]] = 1.0
            T.sync_threads()
            B[tx] = s[tx]
    return main


def arrays(rng):
    return [np.arange(64, dtype=np.int32), np.zeros(64, np.float32)]
#> tile level:
#> out-of-bounds: s[64] in block (0, 0), index [64] of shape [64]
#>   bounds_scatter_shared.py, line 16    s[A[tx] + 1] = 1.0
#>                                          thread 63 writes
#>   bounds_scatter_shared.py, line 12    s = T.alloc_shared((64,), "float32")
#>                                          declares s, shape [64]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
#> thread level:
#> out-of-bounds: s[64] in block (0, 0), index 64 is not in [0, 64)
#>   bounds_scatter_shared.py, line 16    s[A[tx] + 1] = 1.0
#>                                          thread 63 (warp 1, lane 31) writes
#>   bounds_scatter_shared.py, line 12    s = T.alloc_shared((64,), "float32")
#>                                          declares s, shape [64]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
#> flat level:
#> out-of-bounds: s[64] in block (0, 0), index 64 is not in [0, 64)
#>   bounds_scatter_shared.py, line 16    s[A[tx] + 1] = 1.0
#>                                          thread 63 (warp 1, lane 31) writes
#>   bounds_scatter_shared.py, line 12    s = T.alloc_shared((64,), "float32")
#>                                          declares s, shape [64]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
