# SPDX-License-Identifier: Apache-2.0
"""A copy between tiles of different extents."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((16, 32), "float16")
        T.copy(A[0:8, 0:32], s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[copy-shape]: this copy moves 8x32 elements into 16x32
#>   --> copy_shapes_differ.py, line 11
#>  10 |         s = T.alloc_shared((16, 32), "float16")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `s`, a shared buffer of 16x32 float16
#>  11 |         T.copy(A[0:8, 0:32], s)
#>     |                ^^^^^^^^^^^^  ~ 16x32, all of s
#>     |                8x32 of A
#> help: allocate `s` as (8, 32), or copy 16x32: `A[0:16, 0:32]`
