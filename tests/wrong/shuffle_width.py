# SPDX-License-Identifier: Apache-2.0
"""Groups of a shuffle are powers of two, and at most a warp."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32,), "int32")):
    with T.Kernel(1, threads=32):
        tx = T.get_thread_binding()
        A[tx] = T.shfl_down(A[tx], 1, width=12)
        A[tx] = T.shfl_down(A[tx], 1, width=256)


tilelang.compile(main)
#> CompileError: error[statement-unsupported]: a kernel cannot contain a shuffle of width 12
#>   --> shuffle_width.py, line 11
#>  11 |         A[tx] = T.shfl_down(A[tx], 1, width=12)
#>     |                                       ^^^^^^^^
#> help: use a power of two: lanes exchange values within groups of `width`
#>
#> error[too-large]: the width of a shuffle is 256, more than 128
#>   --> shuffle_width.py, line 12
#>  12 |         A[tx] = T.shfl_down(A[tx], 1, width=256)
#>     |                                       ^^^^^^^^^
#> help: use a number up to this bound
