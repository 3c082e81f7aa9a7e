# SPDX-License-Identifier: Apache-2.0
"""A T.Pipelined loop in a T.Parallel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            for k in T.Pipelined(4, num_stages=2):
                B[bx, i] = A[k, i]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[parallel-pipelined]: T.Pipelined loop inside a T.Parallel
#>   --> pipelined_in_parallel.py, line 11
#>  11 |             for k in T.Pipelined(4, num_stages=2):
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: put the T.Parallel inside the T.Pipelined loop
