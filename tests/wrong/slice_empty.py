# SPDX-License-Identifier: Apache-2.0
"""An empty slice."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((8,), "float16")
        T.copy(A[0, 8:8], s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[slice-empty]: the slice from 8 to 8 is empty
#>   --> slice_empty.py, line 11
#>  11 |         T.copy(A[0, 8:8], s)
#>     |                ^^^^^^^^^
#> help: `A[lo:hi]` contains lo to hi - 1; write a tile of 64 as `A[i : i + 64]`
