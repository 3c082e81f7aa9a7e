# SPDX-License-Identifier: Apache-2.0
"""A sum of squares exceeds the largest number of float16; 1 / infinity hides it in the output."""
import numpy as np
import tilelang.language as T


def make(bug):
    total = "float16" if bug else "float32"

    @T.prim_func
    def main(X: T.Tensor((4, 256), "float16"), Y: T.Tensor((4, 256), "float16")):
        with T.Kernel(4, threads=32) as bx:
            x, s = T.alloc_fragment((1, 256), "float16"), T.alloc_fragment((1,), total)
            squares = T.alloc_fragment((1, 256), total)
            T.copy(X[bx, 0], x)
            for i in T.Parallel(256):
                squares[0, i] = x[0, i] * x[0, i]
            T.reduce_sum(squares, s, dim=1)
            for i in T.Parallel(256):
                Y[bx, i] = x[0, i] * T.rsqrt(s[0])
    return main


def arrays(rng):
    return [np.full((4, 256), 20, np.float16), np.zeros((4, 256), np.float16)]
#> tile level:
#> float-overflow: in block (0, 0), infinity from numbers up to squares[0, 0] = 400.0
#>   overflow_sum_in_half.py, line 18    T.reduce_sum(squares, s, dim=1)
#>                                         exceeds float16
#> help: compute it in float32: accumulate in a float32 fragment, and convert the result
#> in kernel main
#> thread level: nothing is found
#> flat level: nothing is found
