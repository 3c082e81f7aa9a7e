# SPDX-License-Identifier: Apache-2.0
"""dtype before shape."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_shared("float16", (64, 32))
        T.copy(A, x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[value-needed]: expected a value, found the string "float16"
#>   --> shape_and_dtype_exchanged.py, line 10
#>  10 |         x = T.alloc_shared("float16", (64, 32))
#>     |                            ^^^^^^^^^
#> help: pass the shape first, then the dtype: (shape, "float16")
#>
#> error[dtype-needed]: expected a dtype, found a tuple of 2 items
#>   --> shape_and_dtype_exchanged.py, line 10
#>  10 |         x = T.alloc_shared("float16", (64, 32))
#>     |                                       ^^^^^^^^
#> help: such as "float16", T.float16 or A.dtype
