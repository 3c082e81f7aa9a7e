# SPDX-License-Identifier: Apache-2.0
"""A loop over a buffer."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for x in B:
            T.fill(x, 0.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[not-iterable]: cannot iterate over `B`, a global tensor of 64x32 float32,
#>   --> loop_over_buffer.py, line 10
#>  10 |         for x in B:
#>     |                  ^
#> help: loop over its indices: `... B[i, j] ...`
