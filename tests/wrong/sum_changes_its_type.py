# SPDX-License-Identifier: Apache-2.0
"""A sum in a plain name that begins as an integer."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        total = 0
        for i in T.serial(32):
            total = total + B[bx, i]
        B[bx, 0] = total


tilelang.compile(main).get_kernel_source()
#> CompileError: error[name-differs]: `total` has different values on different paths
#>   --> sum_changes_its_type.py, line 12
#>  10 |         total = 0
#>     |         ~~~~~ here it is a dynamic int32
#>  ...
#>  12 |             total = total + B[bx, i]
#>     |             ^^^^^ here it is a dynamic float32
#> help: make it a variable of one dtype before the block: `total = T.alloc_var("float32", init=...)`
