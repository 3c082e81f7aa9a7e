# SPDX-License-Identifier: Apache-2.0
# There are as many rows as columns.
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=64):
        x = T.alloc_fragment((64, 64), "float32")
        rows = T.alloc_shared((64,), "float32")
        T.copy(A, x)
        T.reduce_sum(x, rows, dim=1)
        for i, j in T.Parallel(64, 64):
            x[i, j] = x[i, j] / rows[j]
        T.copy(x, B)


tilelang.compile(f)
#> TilelabWarning: warning[reduced-index]: wrong index: `rows` is read by `j`, the index of `x` that was reduced
#>   --> reduced_index.py, line 15
#>  13 |         T.reduce_sum(x, rows, dim=1)
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ dimension 1 of x is reduced here
#>  ...
#>  15 |             x[i, j] = x[i, j] / rows[j]
#>     |                                 ^^^^^^^
#> help: an element of `rows` belongs to the index that remained: rows[i]
