# SPDX-License-Identifier: Apache-2.0
"""An accumulator is reset in the loop that adds to it."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((32, 128), "float32"), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            a = T.alloc_shared((32, 32), "float32")
            total = T.alloc_fragment((32,), "float32")
            T.clear(total)
            for k in T.serial(4):
                if bug:
                    T.clear(total)
                T.copy(A[0, k * 32], a)
                T.reduce_sum(a, total, dim=1, clear=False)
            T.copy(total, B)
    return main


def arrays(rng):
    return [rng.random((32, 128), np.float32), np.zeros(32, np.float32)]
#> tile level:
#> dead-store: total in block (0, 0)
#>   dead_store_accumulator_reset.py, line 16    T.clear(total)
#>                                                 resets
#>   dead_store_accumulator_reset.py, line 14    for k in T.serial(4):
#>                                                 in this loop, unread, the value of
#>   dead_store_accumulator_reset.py, line 18    T.reduce_sum(a, total, dim=1, clear=False)
#>                                                 updates
#>   dead_store_accumulator_reset.py, line 12    total = T.alloc_fragment((32,), "float32")
#>                                                 declares total, shape [32]
#> help: reset an accumulator before the loop; move the uses of the value into the loop
#> in kernel main
#> thread level: nothing is found
#> flat level: nothing is found
