# SPDX-License-Identifier: Apache-2.0
"""A select reads the side that it takes; the other side may be uninitialized."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((64,), "float32")
            for i in T.Parallel(32):
                s[i] = A[i]
            for i in T.Parallel(64):
                B[i] = T.if_then_else(i < (33 if bug else 32), s[i], 0.0)
            for i in T.Parallel(64):
                if i < 32 and s[i] > 0.5:
                    C[i] = 1.0
                else:
                    C[i] = 0.0
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> uninitialized: s[32] in block (0, 0)
#>   uninitialized_side_taken.py, line 15    B[i] = T.if_then_else(i < (33 if bug else 32), s[i], 0.0)
#>                                             iteration i = 32 reads
#>   uninitialized_side_taken.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                             declares s, shape [64]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> thread level:
#> uninitialized: s[32] in block (0, 0)
#>   uninitialized_side_taken.py, line 15    B[i] = T.if_then_else(i < (33 if bug else 32), s[i], 0.0)
#>                                             thread 32 (warp 1, lane 0) reads
#>   uninitialized_side_taken.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                             declares s, shape [64]
#>   uninitialized_side_taken.py, line 13    s[i] = A[i]
#>                                             writes a part of s
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> flat level:
#> uninitialized: s[32] in block (0, 0)
#>   uninitialized_side_taken.py, line 15    B[i] = T.if_then_else(i < (33 if bug else 32), s[i], 0.0)
#>                                             thread 32 (warp 1, lane 0) reads
#>   uninitialized_side_taken.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                             declares s, shape [64]
#>   uninitialized_side_taken.py, line 13    s[i] = A[i]
#>                                             writes a part of s
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
