# SPDX-License-Identifier: Apache-2.0
"""The sum of a softmax includes zeros past the end of a row."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((32, 100), "float32"), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((32, 128), "float32")
            top, total = T.alloc_fragment((32,), "float32"), T.alloc_fragment((32,), "float32")
            T.copy(A[0, 0], a)
            if not bug:
                for i, j in T.Parallel(32, 128):
                    a[i, j] = T.if_then_else(j < 100, a[i, j], -T.infinity("float32"))
            T.reduce_max(a, top, dim=1)
            for i, j in T.Parallel(32, 128):
                a[i, j] = T.exp(a[i, j] - top[i])
            T.reduce_sum(a, total, dim=1)
            T.copy(total, B)
    return main


def arrays(rng):
    return [rng.random((32, 100), np.float32), np.zeros(32, np.float32)]
#> tile level:
#> padding-in-reduction: A in block (0, 0), sum
#>   padding_in_reduction_softmax.py, line 20    T.reduce_sum(a, total, dim=1)
#>                                                 counts
#>   padding_in_reduction_softmax.py, line 13    T.copy(A[0, 0], a)
#>                                                 dimension 1 has 100 elements; this reads 0 to 127
#>   padding_in_reduction_softmax.py, line 19    a[i, j] = T.exp(a[i, j] - top[i])
#>                                                 changes it to another value
#> help: replace them by a neutral value: T.if_then_else(inside, value, neutral)
#> in kernel main
#> thread level: nothing is found
#> flat level: nothing is found
