# SPDX-License-Identifier: Apache-2.0
"""A copy that should transpose."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((32, 64), "float16")
        T.copy(A, s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[copy-shape]: this copy moves 64x32 elements into 32x64
#>   --> copy_transposed.py, line 11
#>  10 |         s = T.alloc_shared((32, 64), "float16")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `s`, a shared buffer of 32x64 float16
#>  11 |         T.copy(A, s)
#>     |                ^  ~ 32x64, all of s
#>     |                64x32, all of A
#> help: use T.transpose(src, dst) to exchange the dimensions; T.copy keeps their order
