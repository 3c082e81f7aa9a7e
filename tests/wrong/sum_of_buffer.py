# SPDX-License-Identifier: Apache-2.0
"""Python's sum of a buffer."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.clear(x)
        B[bx, 0] = sum(x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[not-iterable]: cannot iterate over `x`, a fragment buffer of 32 elements float32,
#>   --> sum_of_buffer.py, line 12
#>  12 |         B[bx, 0] = sum(x)
#>     |                        ^
#> help: `T.reduce_sum(src, dst, dim=...)` does this in a kernel
