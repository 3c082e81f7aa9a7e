# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on whole buffers as in NumPy."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        y = T.alloc_fragment((32,), "float32")
        T.clear(x)
        z = x + x
        T.copy(z, y)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[value-needed]: expected a value, found `x`, a fragment buffer of 32 elements float32
#>   --> buffer_arithmetic.py, line 13
#>  13 |         z = x + x
#>     |             ^^^^^
#> help: use arithmetic on elements: `for i in T.Parallel(32): ... x[i] ...`
