# SPDX-License-Identifier: Apache-2.0
"""T.fill without a value."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.fill(x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[call-missing]: `T.fill` is missing the argument `value`
#>   --> fill_without_value.py, line 11
#>  11 |         T.fill(x)
#>     |         ^^^^^^^^^
#> help: T.fill(buffer, value)
