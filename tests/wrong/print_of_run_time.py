# SPDX-License-Identifier: Apache-2.0
"""An f-string with a tensor."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        T.print(bx, msg=f"block {A}")


tilelang.compile(main).get_kernel_source()
#> CompileError: error[static-needed]: a value inside an f-string must be known at compile time; found `A`, a global tensor of 64x32 float16
#>   --> print_of_run_time.py, line 10
#>  10 |         T.print(bx, msg=f"block {A}")
#>     |                         ^^^^^^^^^^^^
#> help: print it by itself: T.print(value, msg=...)
