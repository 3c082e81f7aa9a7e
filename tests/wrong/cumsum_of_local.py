# SPDX-License-Identifier: Apache-2.0
"""A scan of memory that each thread has for itself."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        mine = T.alloc_local((64,), "float32")
        T.copy(A, mine)
        T.cumsum(mine)


tilelang.compile(main)
#> CompileError: error[private-tile]: T.cumsum of `mine`, which is memory of one thread
#>   --> cumsum_of_local.py, line 12
#>  12 |         T.cumsum(mine)
#>     |         ^^^^^^^^^^^^^^
#> help: write the sum as a serial loop
