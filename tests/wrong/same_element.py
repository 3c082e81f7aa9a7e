# SPDX-License-Identifier: Apache-2.0
"""All iterations of a T.Parallel write one element."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        total = T.alloc_fragment((1,), "float32")
        T.clear(total)
        for i in T.Parallel(32):
            total[0] += A[bx, i]
        B[bx, 0] = total[0]


tilelang.compile(main).get_kernel_source()
#> CompileError: warning[parallel-same-element]: iterations of this T.Parallel write the same element of `total`
#>   --> same_element.py, line 13
#>  12 |         for i in T.Parallel(32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ `i` does not occur in the index
#>  13 |             total[0] += A[bx, i]
#>     |             ^^^^^^^^^^^^^^^^^^^^
#> help: use T.reduce_sum and the like, or make the loop over `i` serial
#>
#> error[layout-conflict]: layout conflict: no thread map lets this statement use fragment `total`
#>   --> same_element.py, line 12
#>  11 |         T.clear(total)
#>     |         ~~~~~~~~~~~~~~ its elements were distributed over threads here
#>  12 |         for i in T.Parallel(32):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^ iterations with different `i` run in different threads and modify the same element
#> help: reduce with T.reduce_sum(src, dst, dim=...) or a similar function, or make the loop over `i` serial
