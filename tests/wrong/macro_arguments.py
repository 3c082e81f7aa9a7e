# SPDX-License-Identifier: Apache-2.0
"""A macro called without one of its arguments."""
import tilelang
import tilelang.language as T


@T.macro
def scale(buffer, factor):
    for i in T.Parallel(32):
        buffer[i] = buffer[i] * factor

@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.clear(x)
        scale(x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[call-missing]: `scale` is missing the argument `factor`
#>   --> macro_arguments.py, line 17
#>   8 | def scale(buffer, factor):
#>     |                   ~~~~~~ this parameter
#>  ...
#>  17 |         scale(x)
#>     |         ^^^^^^^^
#> help: pass it, or give the parameter a default
