# SPDX-License-Identifier: Apache-2.0
"""Only a part of a shared buffer has been written."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            s = T.alloc_shared((64,), "float32")
            for i in T.Parallel(48 if bug else 64):
                s[i] = A[i]
            for i in T.Parallel(64):
                B[i] = s[i]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> uninitialized: s[48] in block (0, 0)  (16 times)
#>   uninitialized_tail.py, line 15    B[i] = s[i]
#>                                       iteration i = 48 reads
#>   uninitialized_tail.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                       declares s, shape [64]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> thread level:
#> uninitialized: s[48] in block (0, 0)  (16 times)
#>   uninitialized_tail.py, line 15    B[i] = s[i]
#>                                       thread 48 (warp 1, lane 16) reads
#>   uninitialized_tail.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                       declares s, shape [64]
#>   uninitialized_tail.py, line 13    s[i] = A[i]
#>                                       writes a part of s
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> flat level:
#> uninitialized: s[48] in block (0, 0)  (16 times)
#>   uninitialized_tail.py, line 15    B[i] = s[i]
#>                                       thread 48 (warp 1, lane 16) reads
#>   uninitialized_tail.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                       declares s, shape [64]
#>   uninitialized_tail.py, line 13    s[i] = A[i]
#>                                       writes a part of s
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
