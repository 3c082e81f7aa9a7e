# SPDX-License-Identifier: Apache-2.0
# The first axis of the grid has the blocks of a row, and chooses the rows.
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((60, 200), "float32"), B: T.Tensor((60, 200), "float32")):
    with T.Kernel(T.ceildiv(200, 32), T.ceildiv(60, 16), threads=128) as (bx, by):
        for i, j in T.Parallel(16, 32):
            B[bx * 16 + i, by * 32 + j] = A[bx * 16 + i, by * 32 + j]


tilelang.compile(f)
#> TilelabWarning: warning[unwritten-elements]: nothing writes `B[:, 128:200]`
#>   --> grid_exchanged.py, line 11
#>   9 |     with T.Kernel(T.ceildiv(200, 32), T.ceildiv(60, 16), threads=128) as (bx, by):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the 4 blocks along by cover 128 of 200, 32 each
#>  ...
#>  11 |             B[bx * 16 + i, by * 32 + j] = A[bx * 16 + i, by * 32 + j]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: `by` has too few blocks here and `bx` more than its dimension needs: exchange them, in T.Kernel(...) or in the index
