# SPDX-License-Identifier: Apache-2.0
"""A function that is planned."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_shared((32,), "float32")
        T.clear(x)
        T.cumsum(x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[not-built-scan]: T.cumsum is planned and not built yet
#>   --> cumsum_planned.py, line 12
#>  12 |         T.cumsum(x)
#>     |         ^^^^^^^^^^^
#> help: write the sum as a serial loop over one row
