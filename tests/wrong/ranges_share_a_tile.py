# SPDX-License-Identifier: Apache-2.0
"""Two branches for different threads use one tile."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((64, 64), "float32")
        tx = T.get_thread_binding()
        if tx < 64:
            T.copy(A, s)
        else:
            T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[ranges-race]: data race on `s` between two ranges of threads
#>   --> ranges_share_a_tile.py, line 15
#>  12 |         if tx < 64:
#>     |         ~~~~~~~~~~~ each branch is for different threads
#>  13 |             T.copy(A, s)
#>     |                       ~ writes s
#>  ...
#>  15 |             T.copy(s, B)
#>     |                    ^ reads s
#> help: write two `if`s in sequence, so that the block synchronizes between them
