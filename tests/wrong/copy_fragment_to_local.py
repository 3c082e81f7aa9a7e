# SPDX-License-Identifier: Apache-2.0
"""Every thread wants all of a tile that is spread over the threads."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=64) as bx:
        f = T.alloc_fragment((64, 64), "float32")
        s = T.alloc_fragment((64,), "float32")
        mine = T.alloc_local((64,), "float32")
        T.copy(A, f)
        T.reduce_sum(f, s, dim=1)
        T.copy(s, mine)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[layout-conflict]: layout conflict: no thread map lets this statement use fragment `s`
#>   --> copy_fragment_to_local.py, line 15
#>  14 |         T.reduce_sum(f, s, dim=1)
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~ its elements were distributed over threads here
#>  15 |         T.copy(s, mine)
#>     |         ^^^^^^^^^^^^^^^ each thread needs all of it
#> help: copy it to shared memory first (T.alloc_shared): every thread can read that
