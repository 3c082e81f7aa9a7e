# SPDX-License-Identifier: Apache-2.0
"""T.print has no formats: the second argument is the message, a string."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        T.print("A[0] is {}", A[0])
        T.device_assert(A[0] > 0, A[0])
        T.copy(A, B)


tilelang.compile(main)
#> TilelabWarning: warning[option-ignored]: `msg` of T.print is ignored
#>   --> print_with_a_format.py, line 10
#>  10 |         T.print("A[0] is {}", A[0])
#>     |                               ^^^^
#> note: it is not a string; there are no formats
#> help: write `T.print(x, msg="x")`, once for each value
#> TilelabWarning: warning[option-ignored]: `msg` of T.device_assert is ignored
#>   --> print_with_a_format.py, line 11
#>  11 |         T.device_assert(A[0] > 0, A[0])
#>     |                                   ^^^^
#> note: it is not a string; there are no formats
#> help: write `T.device_assert(condition, msg="why")`
