# SPDX-License-Identifier: Apache-2.0
"""A stencil reads one element past the end of shared memory."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            s = T.alloc_shared((64,), "float32")
            T.copy(A, s)
            for i in T.Parallel(64):
                if bug:
                    B[i] = s[i] + s[i + 1]
                else:
                    B[i] = s[i] + s[T.min(i + 1, 63)]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> out-of-bounds: s[64] in block (0, 0), index [64] of shape [64]
#>   bounds_shared_neighbour.py, line 15    B[i] = s[i] + s[i + 1]
#>                                            iteration i = 63 reads
#>   bounds_shared_neighbour.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                            declares s, shape [64]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
#> thread level:
#> out-of-bounds: s[64] in block (0, 0), index 64 is not in [0, 64)
#>   bounds_shared_neighbour.py, line 15    B[i] = s[i] + s[i + 1]
#>                                            thread 63 (warp 1, lane 31) reads
#>   bounds_shared_neighbour.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                            declares s, shape [64]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
#> flat level:
#> out-of-bounds: s[64] in block (0, 0), index 64 is not in [0, 64)
#>   bounds_shared_neighbour.py, line 15    B[i] = s[i] + s[i + 1]
#>                                            thread 63 (warp 1, lane 31) reads
#>   bounds_shared_neighbour.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                            declares s, shape [64]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
