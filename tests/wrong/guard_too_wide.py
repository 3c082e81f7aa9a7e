# SPDX-License-Identifier: Apache-2.0
# `<=` for `<`, and a start that is one too early. A bare element beside 0 is what T.copy loads past
# an edge, and a store that is outside as well drops it.
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((60, 100), "float32"), B: T.Tensor((60, 100), "float32"), C: T.Tensor((60,), "float32")):
    with T.Kernel(60, threads=128) as row:
        a, b, total = T.alloc_fragment((128,), "float32"), T.alloc_fragment((128,), "float32"), T.alloc_fragment((1,), "float32")
        for j in T.Parallel(128):
            a[j] = T.if_then_else(j <= 100, T.exp(A[row, j]), 0.0)
            b[j] = T.if_then_else(j >= 0 and j < 100, T.exp(A[row, j - 1]), 0.0)
        T.reduce_sum(a, total, dim=0)
        C[row] = total[0]
        for j in T.Parallel(128):
            a[j] = T.if_then_else(j <= 100, A[row, j], 0.0)
            if j <= 100:
                B[row, j] = A[row, j] + a[j] + b[j]


tilelang.compile(f)
#> TilelabWarning: warning[off-by-one-guard]: off-by-one guard: `A` is read out of bounds, at index [0, 100] of shape [60, 100]
#>   --> guard_too_wide.py, line 13
#>  13 |             a[j] = T.if_then_else(j <= 100, T.exp(A[row, j]), 0.0)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reads 0 there
#>  ...
#>  15 |         T.reduce_sum(a, total, dim=0)
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ its result changes this sum
#> help: correct the bound: `<` instead of `<=`, or start one later
#> TilelabWarning: warning[off-by-one-guard]: off-by-one guard: `A` is read out of bounds, at index [0, -1] of shape [60, 100]
#>   --> guard_too_wide.py, line 14
#>  14 |             b[j] = T.if_then_else(j >= 0 and j < 100, T.exp(A[row, j - 1]), 0.0)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reads 0 there
#>  ...
#>  20 |                 B[row, j] = A[row, j] + a[j] + b[j]
#>     |                 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ stores a result of it in B
#> help: correct the bound: `<` instead of `<=`, or start one later
