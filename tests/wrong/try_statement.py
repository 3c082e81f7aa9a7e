# SPDX-License-Identifier: Apache-2.0
"""try in a kernel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        try:
            T.fill(B, 0.0)
        except ValueError:
            pass


tilelang.compile(main).get_kernel_source()
#> CompileError: error[statement-unsupported]: a kernel cannot contain try
#>   --> try_statement.py, line 10
#>  10 |         try:
#>     |         ^^^^
#> help: use with, for, while, if, assignments, del, assert and expressions; the rest belongs in the Python code around the kernel
