# SPDX-License-Identifier: Apache-2.0
"""A maximum over a fragment written manually, without the old value."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((8, 32), "float32")
        r = T.alloc_fragment((8,), "float32")
        T.fill(x, 1.0)
        T.clear(r)
        for i, j in T.Parallel(8, 32):
            r[i] = T.max(x[i, j], 0.0)
        T.copy(r, B[0:8, 0])


tilelang.compile(main).get_kernel_source()
#> CompileError: warning[parallel-same-element]: iterations of this T.Parallel write the same element of `r`
#>   --> reduce_by_hand.py, line 15
#>  14 |         for i, j in T.Parallel(8, 32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `j` does not occur in the index
#>  15 |             r[i] = T.max(x[i, j], 0.0)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use T.reduce_sum and the like, or make the loop over `j` serial
#>
#> error[layout-conflict]: layout conflict: no thread map lets this statement use fragment `r`
#>   --> reduce_by_hand.py, line 14
#>  14 |         for i, j in T.Parallel(8, 32):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ iterations with different `j` run in different threads and modify the same element
#> help: reduce with T.reduce_sum(src, dst, dim=...) or a similar function, or make the loop over `j` serial
