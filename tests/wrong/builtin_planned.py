# SPDX-License-Identifier: Apache-2.0
"""A function that tilelab does not have yet."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.clear(x)
        x[0] = T.ldexp(x[0], 1)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[builtin-planned]: T.ldexp is not supported yet
#>   --> builtin_planned.py, line 12
#>  12 |         x[0] = T.ldexp(x[0], 1)
#>     |                ^^^^^^^^^^^^^^^^
#> note: x * 2 ** n.
