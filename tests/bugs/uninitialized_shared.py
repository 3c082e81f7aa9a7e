# SPDX-License-Identifier: Apache-2.0
"""Shared memory is read before anything is written."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            s = T.alloc_shared((64,), "float32")
            if not bug:
                T.copy(A, s)
            for i in T.Parallel(64):
                B[i] = s[i] * 2.0
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> uninitialized: s[0] in block (0, 0)  (64 times)
#>   uninitialized_shared.py, line 15    B[i] = s[i] * 2.0
#>                                         iteration i = 0 reads
#>   uninitialized_shared.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                         declares s, shape [64]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> thread level:
#> uninitialized: s[0] in block (0, 0)  (64 times)
#>   uninitialized_shared.py, line 15    B[i] = s[i] * 2.0
#>                                         thread 0 (warp 0, lane 0) reads
#>   uninitialized_shared.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                         declares s, shape [64]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> flat level:
#> uninitialized: s[0] in block (0, 0)  (64 times)
#>   uninitialized_shared.py, line 15    B[i] = s[i] * 2.0
#>                                         thread 0 (warp 0, lane 0) reads
#>   uninitialized_shared.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                         declares s, shape [64]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
