# SPDX-License-Identifier: Apache-2.0
"""A size that is not an integer."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def factory(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64):
            for i in T.Parallel(n):
                B[i] = A[i] * 2.0

    return main


factory(1000.5)
#> ArgumentError: error[argument-value]: kernel factory, argument n: 1000.5 is a number of elements, blocks or iterations, but is not an integer
#>   --> factory_of_float.py, line 19
#>  11 |     def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
#>     |                          ~~~~ used here
#>  ...
#>  19 | factory(1000.5)
#>     | ^^^^^^^^^^^^^^^
#> help: pass an integer: n=1000
