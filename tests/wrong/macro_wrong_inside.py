# SPDX-License-Identifier: Apache-2.0
"""A mistake inside of a macro: the call is named too."""
import tilelang
import tilelang.language as T


@T.macro
def scale(buffer, factor):
    for i in T.Parallel(32):
        buffer[i, 0] = buffer[i, 0] * factor

@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.clear(x)
        scale(x, 2.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[index-rank]: `x` has 1 dimension, but is indexed with 2 indices
#>   --> macro_wrong_inside.py, line 10
#>  10 |         buffer[i, 0] = buffer[i, 0] * factor
#>     |                        ^^^^^^^^^^^^
#>  ...
#>  15 |         x = T.alloc_fragment((32,), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `x`, a fragment buffer of 32 elements float32
#>  ...
#>  17 |         scale(x, 2.0)
#>     |         ~~~~~~~~~~~~~ called from here
#> help: write an element as `x[i]`
