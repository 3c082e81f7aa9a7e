# SPDX-License-Identifier: Apache-2.0
"""A fragment filled by a loop whose extent is known at run time only."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((64,), "float32")
        for i in T.Parallel(n):
            x[i] = A[i, 0]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[parallel-symbolic-extent]: `i` indexes fragment `x`, but its extent is not known at compile time
#>   --> fragment_run_time_loop.py, line 12
#>  11 |         for i in T.Parallel(n):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~ the extent is a run-time value
#>  12 |             x[i] = A[i, 0]
#>     |             ^^^^^^^^^^^^^^
#> help: loop over the fragment's extent and test the bound with `if`
