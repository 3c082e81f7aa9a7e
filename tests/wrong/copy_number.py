# SPDX-License-Identifier: Apache-2.0
"""T.copy of a number."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.copy(0.0, x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[region-needed]: expected a tile, found the number 0.0
#>   --> copy_number.py, line 11
#>  11 |         T.copy(0.0, x)
#>     |                ^^^
#> help: use a buffer, a slice `A[a:b, ...]`, or an element `A[i, ...]` where the box starts
