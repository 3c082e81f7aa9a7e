# SPDX-License-Identifier: Apache-2.0
"""A T.Kernel inside of another."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        with T.Kernel(2, threads=64) as by:
            T.fill(B, 0.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[kernel-nested]: T.Kernel inside another T.Kernel
#>   --> kernel_in_kernel.py, line 10
#>   9 |     with T.Kernel(4, threads=64) as bx:
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~ this kernel is still open
#>  10 |         with T.Kernel(2, threads=64) as by:
#>     |              ^^^^^^^^^^^^^^^^^^^^^^^
#> help: use one T.Kernel with several indices, `with T.Kernel(gx, gy) as (bx, by):`, or put the kernels one after the other
