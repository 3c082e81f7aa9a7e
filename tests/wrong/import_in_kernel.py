# SPDX-License-Identifier: Apache-2.0
"""import in a kernel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        import math
        B[bx, 0] = math.pi


tilelang.compile(main).get_kernel_source()
#> CompileError: error[statement-unsupported]: a kernel cannot contain import
#>   --> import_in_kernel.py, line 10
#>  10 |         import math
#>     |         ^^^^^^^^^^^
#> help: use with, for, while, if, assignments, del, assert and expressions; the rest belongs in the Python code around the kernel
#>
#> error[name-unknown]: `math` is not defined
#>   --> import_in_kernel.py, line 11
#>  11 |         B[bx, 0] = math.pi
#>     |                    ^^^^
#> help: names bound here: A, B, bx; bind the name before this line, in the kernel or in the Python code around it
