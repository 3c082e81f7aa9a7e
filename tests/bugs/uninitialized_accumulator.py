# SPDX-License-Identifier: Apache-2.0
"""A reduction is added to registers that were never cleared."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=64) as _:
            x = T.alloc_fragment((4, 64), "float32")
            r = T.alloc_fragment((4,), "float32")
            T.copy(A, x)
            if not bug:
                T.clear(r)
            T.reduce_sum(x, r, dim=1, clear=False)
            T.copy(r, B)
    return main


def arrays(rng):
    return [rng.random((4, 64), np.float32), np.zeros(4, np.float32)]
#> tile level:
#> uninitialized: r[0] in block (0, 0)
#>   uninitialized_accumulator.py, line 16    T.reduce_sum(x, r, dim=1, clear=False)
#>                                              reads
#>   uninitialized_accumulator.py, line 12    r = T.alloc_fragment((4,), "float32")
#>                                              declares r, shape [4]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> thread level:
#> uninitialized: r[0] in block (0, 0)  (64 times)
#>   uninitialized_accumulator.py, line 16    T.reduce_sum(x, r, dim=1, clear=False)
#>                                              thread 0 (warp 0, lane 0) reads
#>   uninitialized_accumulator.py, line 12    r = T.alloc_fragment((4,), "float32")
#>                                              declares r, 1 element in each thread
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> flat level:
#> uninitialized: r[0] in block (0, 0)  (64 times)
#>   uninitialized_accumulator.py, line 16    T.reduce_sum(x, r, dim=1, clear=False)
#>                                              thread 0 (warp 0, lane 0) reads
#>   uninitialized_accumulator.py, line 12    r = T.alloc_fragment((4,), "float32")
#>                                              declares r, 1 element in each thread
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
