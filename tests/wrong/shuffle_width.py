# SPDX-License-Identifier: Apache-2.0
"""Groups of a shuffle are powers of two."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32,), "int32")):
    with T.Kernel(1, threads=32):
        tx = T.get_thread_binding()
        A[tx] = T.shfl_down(A[tx], 1, width=12)


tilelang.compile(main)
#> CompileError: error[static-needed]: a width of 1, 2, 4 and so on up to the warp must be known at compile time; found 12
#>   --> shuffle_width.py, line 11
#>  11 |         A[tx] = T.shfl_down(A[tx], 1, width=12)
#>     |                                       ^^^^^^^^
#> help: lanes exchange values within groups of `width`
