# SPDX-License-Identifier: Apache-2.0
"""An index computed with a float."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            B[bx, i * 0.5] = 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[index-type]: an index or extent must be an integer, found `i * 0.5`, a dynamic float32
#>   --> index_float.py, line 11
#>  11 |             B[bx, i * 0.5] = 1.0
#>     |             ^^^^^^^^^^^^^^
#> help: use // to divide integers; T.cast(x, "int32") converts
