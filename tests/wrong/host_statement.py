# SPDX-License-Identifier: Apache-2.0
"""Work outside of T.Kernel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    for i in T.serial(32):
        B[0, i] = 1.0
    with T.Kernel(4, threads=64) as bx:
        T.fill(B, 0.0)
#> CompileError: error[outside-kernel]: a loop of the kernel outside T.Kernel
#>   --> host_statement.py, line 9
#>   9 |     for i in T.serial(32):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^
#> help: put it under `with T.Kernel(...) as ...:`
