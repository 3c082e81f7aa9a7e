# SPDX-License-Identifier: Apache-2.0
# `==` where `=` is meant, in a line that an unrolled loop repeats; and a line that only computes.
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64, 2), "float32")):
    with T.Kernel(1, threads=64) as _:
        for i in T.Parallel(64):
            for j in (0, 1):
                B[i, j] == A[i] * 2
            A[i] + 1
            B[i, 0]
            B[i, 1] = A[i]


tilelang.compile(main)
#> TilelabWarning: warning[value-unused]: unused value: nothing uses this comparison
#>   --> value_unused.py, line 12
#>  12 |                 B[i, j] == A[i] * 2
#>     |                 ^^^^^^^^^^^^^^^^^^^
#> help: `=` stores: write it in place of `==`
#> TilelabWarning: warning[value-unused]: unused value: nothing uses this expression
#>   --> value_unused.py, line 13
#>  13 |             A[i] + 1
#>     |             ^^^^^^^^
#> help: store it in an element, assign it to a name, or remove the line
#> TilelabWarning: warning[value-unused]: unused value: nothing uses this element
#>   --> value_unused.py, line 14
#>  14 |             B[i, 0]
#>     |             ^^^^^^^
#> help: store it in an element, assign it to a name, or remove the line
