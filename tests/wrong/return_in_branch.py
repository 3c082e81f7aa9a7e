# SPDX-License-Identifier: Apache-2.0
"""A value that a macro returns from a loop of the kernel."""
import tilelang
import tilelang.language as T


@T.macro
def larger(a, b):
    for k in T.serial(4):
        if a > b + k:
            return a
    return b


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = larger(A[i], B[i])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[return-conditional]: return under a dynamic condition
#>   --> return_in_branch.py, line 11
#>  11 |             return a
#>     |             ^^^^^^^^
#>  ...
#>  19 |             B[i] = larger(A[i], B[i])
#>     |                    ~~~~~~~~~~~~~~~~~~ called from here
#> help: keep the value in a variable (T.alloc_var) and return it after the loop
