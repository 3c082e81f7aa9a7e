# SPDX-License-Identifier: Apache-2.0
"""Options that are on or off, given by a value that is only known at run time."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), n: T.int32):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        r = T.alloc_fragment((64,), "float32")
        T.copy(A, s)
        T.gemm(s, s, c, transpose_A=n > 0)
        T.reduce_sum(c, r, clear=n > 0)
        T.cumsum(s, reverse=n > 0)


tilelang.compile(main)
#> CompileError: error[static-needed]: `transpose_A` of T.gemm must be known at compile time; found `n > 0`, a dynamic bool
#>   --> flag_dynamic.py, line 14
#>  14 |         T.gemm(s, s, c, transpose_A=n > 0)
#>     |                         ^^^^^^^^^^^^^^^^^
#> help: pass True or False
#>
#> error[static-needed]: `clear` of T.reduce_sum must be known at compile time; found `n > 0`, a dynamic bool
#>   --> flag_dynamic.py, line 15
#>  15 |         T.reduce_sum(c, r, clear=n > 0)
#>     |                            ^^^^^^^^^^^
#> help: pass True or False
#>
#> error[static-needed]: `reverse` of T.cumsum must be known at compile time; found `n > 0`, a dynamic bool
#>   --> flag_dynamic.py, line 16
#>  16 |         T.cumsum(s, reverse=n > 0)
#>     |                     ^^^^^^^^^^^^^
#> help: pass True or False
