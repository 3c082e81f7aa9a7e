# SPDX-License-Identifier: Apache-2.0
"""A number of stages that depends on the block."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((16, 32), "float16")
        for k in T.Pipelined(4, num_stages=bx):
            T.copy(A[k * 16, 0], s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[static-needed]: num_stages must be known at compile time; found `bx`, a dynamic int32
#>   --> stages_run_time.py, line 11
#>  11 |         for k in T.Pipelined(4, num_stages=bx):
#>     |                                 ^^^^^^^^^^^^^
#> help: use a Python number, a T.const, or an argument of the function around the kernel
