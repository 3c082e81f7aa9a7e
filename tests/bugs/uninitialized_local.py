# SPDX-License-Identifier: Apache-2.0
"""A register of a thread is read before it is set."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            acc = T.alloc_local((1,), "float32")
            if not bug:
                acc[0] = 0.0
            for k in T.serial(4):
                acc[0] += A[tx] * k
            B[tx] = acc[0]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> uninitialized: acc[0] in block (0, 0)  (64 times)
#>   uninitialized_local.py, line 16    acc[0] += A[tx] * k
#>                                        thread 0 reads
#>   uninitialized_local.py, line 12    acc = T.alloc_local((1,), "float32")
#>                                        declares acc, shape [1]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> thread level:
#> uninitialized: acc[0] in block (0, 0)  (64 times)
#>   uninitialized_local.py, line 16    acc[0] += A[tx] * k
#>                                        thread 0 (warp 0, lane 0) reads
#>   uninitialized_local.py, line 12    acc = T.alloc_local((1,), "float32")
#>                                        declares acc, 1 element in each thread
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> flat level:
#> uninitialized: acc[0] in block (0, 0)  (64 times)
#>   uninitialized_local.py, line 16    acc[0] += A[tx] * k
#>                                        thread 0 (warp 0, lane 0) reads
#>   uninitialized_local.py, line 12    acc = T.alloc_local((1,), "float32")
#>                                        declares acc, 1 element in each thread
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
