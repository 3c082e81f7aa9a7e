# SPDX-License-Identifier: Apache-2.0
"""An extent in quotes."""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N, FACTOR=2):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * FACTOR
    return main


scale("64")
#> ArgumentError: error[argument-value]: kernel scale, argument N: '64' is a number of elements, blocks or iterations, but is not an integer
#>   --> factory_number_as_text.py, line 17
#>  10 |     def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
#>     |                          ~~~~ used here
#>  ...
#>  17 | scale("64")
#>     | ^^^^^^^^^^^
#> help: pass an integer: N=64
