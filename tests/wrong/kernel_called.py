# SPDX-License-Identifier: Apache-2.0
"""T.Kernel used as if it were the block index."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        block = T.Kernel(4, threads=64)
        B[block, 0] = 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[kernel-nested]: T.Kernel inside another T.Kernel
#>   --> kernel_called.py, line 10
#>   9 |     with T.Kernel(4, threads=64) as bx:
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~ this kernel is still open
#>  10 |         block = T.Kernel(4, threads=64)
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^
#> help: use one T.Kernel with several indices, `with T.Kernel(gx, gy) as (bx, by):`, or put the kernels one after the other
