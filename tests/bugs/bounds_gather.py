# SPDX-License-Identifier: Apache-2.0
"""An index from memory is larger than the buffer."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            s = T.alloc_shared((16,), "float32")
            T.fill(s, 1.0)
            for i in T.Parallel(64):
                if bug:
                    B[i] = s[A[i]]
                else:
                    B[i] = s[A[i] % 16]
    return main


def arrays(rng):
    return [rng.integers(10, 40, 64).astype(np.int32), np.zeros(64, np.float32)]
#> tile level:
#> out-of-bounds: s[30] in block (0, 0), index [30] of shape [16]  (48 times)
#>   bounds_gather.py, line 15    B[i] = s[A[i]]
#>                                  iteration i = 0 reads
#>   bounds_gather.py, line 11    s = T.alloc_shared((16,), "float32")
#>                                  declares s, shape [16]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
#> thread level:
#> out-of-bounds: s[21] in block (0, 0), index 21 is not in [0, 16)  (48 times)
#>   bounds_gather.py, line 15    B[i] = s[A[i]]
#>                                  thread 33 (warp 1, lane 1) reads
#>   bounds_gather.py, line 11    s = T.alloc_shared((16,), "float32")
#>                                  declares s, shape [16]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
#> flat level:
#> out-of-bounds: s[21] in block (0, 0), index 21 is not in [0, 16)  (48 times)
#>   bounds_gather.py, line 15    B[i] = s[A[i]]
#>                                  thread 33 (warp 1, lane 1) reads
#>   bounds_gather.py, line 11    s = T.alloc_shared((16,), "float32")
#>                                  declares s, shape [16]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel main
