# SPDX-License-Identifier: Apache-2.0
"""Names of T.int32(): bound twice, and read without a value."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8,), "int32")):
    with T.Kernel(1, threads=32):
        x = T.int32()
        y = T.int32()
        T.let(x, 2)
        T.let(x, 3)
        A[0] = x + y


tilelang.compile(main)
#> CompileError: error[ir-bound-twice]: `x` is already bound
#>   --> let_twice.py, line 13
#>  13 |         T.let(x, 3)
#>     |         ^^^^^^^^^^^
#> help: bind another name: `y = T.int32()`; a name that changes is a T.alloc_var
#>
#> error[name-unknown]: `y` is not defined
#>   --> let_twice.py, line 14
#>  14 |         A[0] = x + y
#>     |                ^^^^^
#> help: bind it before its first use: `T.let(y, value)`
