# SPDX-License-Identifier: Apache-2.0
"""A tile is wider than a slice that does not reach the edge of its tensor."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((100, 2, 40), "float16"), B: T.Tensor((100, 2, 40), "float16")):
    with T.Kernel(2, 2, threads=64) as (b, h):
        s = T.alloc_shared((64, 48), "float16")
        T.copy(A[b * 64:b * 64 + 64, h, 0:32], s)
        T.copy(s, B[b * 64:b * 64 + 64, h, 0:32])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[copy-shape]: this copy moves 64x1x32 elements into 64x48
#>   --> copy_ends_inside.py, line 11
#>  10 |         s = T.alloc_shared((64, 48), "float16")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `s`, a shared buffer of 64x48 float16
#>  11 |         T.copy(A[b * 64:b * 64 + 64, h, 0:32], s)
#>     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^  ~ 64x48, all of s
#>     |                64x1x32 of A
#> help: allocate `s` as (64, 32), or copy 64x48: `A[b * 64 : b * 64 + 64, h, 0:48]`
#>
#> error[copy-shape]: this copy moves 64x48 elements into 64x1x32
#>   --> copy_ends_inside.py, line 12
#>   8 | def main(A: T.Tensor((100, 2, 40), "float16"), B: T.Tensor((100, 2, 40), "float16")):
#>     |                                                ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `B`, a global tensor of 100x2x40 float16
#>  ...
#>  12 |         T.copy(s, B[b * 64:b * 64 + 64, h, 0:32])
#>     |                ^  ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ 64x1x32 of B
#>     |                64x48, all of s
#> help: copy to a slice of 64x48: `B[b * 64 : b * 64 + 64, h, 0:48]`
