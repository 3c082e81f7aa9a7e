# SPDX-License-Identifier: Apache-2.0
"""T.ws of a group that the block does not have."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        with T.ws(2):
            T.copy(A, s)
        T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[warp-group-absent]: no warp group 2 in a block of 256 threads
#>   --> ws_group_absent.py, line 11
#>  11 |         with T.ws(2):
#>     |                   ^
#> help: its groups are 0 to 1; or use T.Kernel threads=384
