# SPDX-License-Identifier: Apache-2.0
"""An equation leaves one iteration; one that does not name the variable leaves all."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            if i == 0:
                B[0] = A[0, i]
        for i, j in T.Parallel(64, 32):
            k = i + 1
            if k == n and A[0, 0] > 0:
                B[j] = A[i, j]
        for i, j in T.Parallel(64, 32):
            if i == j:
                B[i] = A[i, j]
        for i, j in T.Parallel(64, 32):
            if n == 3:
                B[i] = A[i, j]


tilelang.compile(main).get_kernel_source()
#> TilelabWarning: warning[parallel-same-element]: iterations of this T.Parallel write the same element of `B`
#>   --> same_element_under_an_equation.py, line 22
#>  20 |         for i, j in T.Parallel(64, 32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `j` does not occur in the index
#>  ...
#>  22 |                 B[i] = A[i, j]
#>     |                 ^^^^^^^^^^^^^^
#> help: use T.reduce_* or T.atomic_add, or make the loop over `j` serial
