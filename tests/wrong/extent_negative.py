# SPDX-License-Identifier: Apache-2.0
"""Negative extents of loops of T."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for i, j in T.Parallel(-1, 4):
            A[i] = 0.0
        for k in T.serial(-1):
            A[k] = 1.0
        for k in T.Pipelined(3 - 5, num_stages=2):
            A[k] = 1.0
        for k in T.unroll(-4):
            A[k] = 3.0
        for k in T.vectorized(-4):
            A[k] = 3.0
        for i, j in T.grid(2, -3):
            A[i] = 4.0


tilelang.compile(main)
#> CompileError: error[too-small]: an extent of T.Parallel is -1, less than 0
#>   --> extent_negative.py, line 10
#>  10 |         for i, j in T.Parallel(-1, 4):
#>     |                     ^^^^^^^^^^^^^^^^^
#> help: use an extent of 0 or more
#>
#> error[too-small]: an extent of T.serial is -1, less than 0
#>   --> extent_negative.py, line 12
#>  12 |         for k in T.serial(-1):
#>     |                  ^^^^^^^^^^^^
#> help: use an extent of 0 or more
#>
#> error[too-small]: an extent of T.Pipelined is -2, less than 0
#>   --> extent_negative.py, line 14
#>  14 |         for k in T.Pipelined(3 - 5, num_stages=2):
#>     |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use an extent of 0 or more
#>
#> error[too-small]: an extent of T.unroll is -4, less than 0
#>   --> extent_negative.py, line 16
#>  16 |         for k in T.unroll(-4):
#>     |                  ^^^^^^^^^^^^
#> help: use an extent of 0 or more
#>
#> error[too-small]: an extent of T.vectorized is -4, less than 0
#>   --> extent_negative.py, line 18
#>  18 |         for k in T.vectorized(-4):
#>     |                  ^^^^^^^^^^^^^^^^
#> help: use an extent of 0 or more
#>
#> error[too-small]: an extent of T.grid is -3, less than 0
#>   --> extent_negative.py, line 20
#>  20 |         for i, j in T.grid(2, -3):
#>     |                     ^^^^^^^^^^^^^
#> help: use an extent of 0 or more
