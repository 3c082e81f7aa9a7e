# SPDX-License-Identifier: Apache-2.0
"""A debugger of Python in a kernel, which is compiled and not run line by line."""
import pdb
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(64):
            breakpoint()
            A[i] = 1.0
        pdb.set_trace()
#> CompileError: error[syntax-unsupported]: breakpoint() is not supported here
#>   --> stop_in_kernel.py, line 12
#>  12 |             breakpoint()
#>     |             ^^^^^^^^^^^^
#> help: a kernel is compiled, not run line by line: %dbg KERNEL(ARGUMENTS) steps through it, T.print(x) shows a value
#>
#> error[syntax-unsupported]: breakpoint() is not supported here
#>   --> stop_in_kernel.py, line 14
#>  14 |         pdb.set_trace()
#>     |         ^^^^^^^^^^^^^^^
#> help: a kernel is compiled, not run line by line: %dbg KERNEL(ARGUMENTS) steps through it, T.print(x) shows a value
