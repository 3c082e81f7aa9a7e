# SPDX-License-Identifier: Apache-2.0
"""A comprehension over run-time values."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = [B[i, 0] for i in range(bx)]
        B[0, 0] = x[0]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[not-iterable]: cannot iterate over a loop of the kernel
#>   --> list_comprehension_over_run_time.py, line 10
#>  10 |         x = [B[i, 0] for i in range(bx)]
#>     |                               ^^^^^^^^^ ends at a dynamic value
#> help: loop with `for i in range(...):` and keep the values in a buffer: a list is built at compile time
