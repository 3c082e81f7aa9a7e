# SPDX-License-Identifier: Apache-2.0
"""T.gemm adds to an accumulator without T.clear."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((16, 16), "float32"), B: T.Tensor((16, 16), "float32")):
        with T.Kernel(1, threads=64) as _:
            a = T.alloc_shared((16, 16), "float32")
            c = T.alloc_fragment((16, 16), "float32")
            T.copy(A, a)
            if not bug:
                T.clear(c)
            T.gemm(a, a, c)
            T.copy(c, B)
    return main


def arrays(rng):
    return [rng.random((16, 16), np.float32), np.zeros((16, 16), np.float32)]
#> tile level:
#> uninitialized: c[0, 0] in block (0, 0)
#>   uninitialized_gemm.py, line 16    T.gemm(a, a, c)
#>                                       reads
#>   uninitialized_gemm.py, line 12    c = T.alloc_fragment((16, 16), "float32")
#>                                       declares c, shape [16, 16]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> thread level:
#> uninitialized: c[0] in block (0, 0)  (256 times)
#>   uninitialized_gemm.py, line 16    T.gemm(a, a, c)
#>                                       thread 32 (warp 1, lane 0) reads
#>   uninitialized_gemm.py, line 12    c = T.alloc_fragment((16, 16), "float32")
#>                                       declares c, 4 elements in each thread
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> flat level:
#> uninitialized: c[0] in block (0, 0)  (256 times)
#>   uninitialized_gemm.py, line 16    T.gemm(a, a, c)
#>                                       thread 32 (warp 1, lane 0) reads
#>   uninitialized_gemm.py, line 12    c = T.alloc_fragment((16, 16), "float32")
#>                                       declares c, 4 elements in each thread
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
