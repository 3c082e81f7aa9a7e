# SPDX-License-Identifier: Apache-2.0
"""Barriers by number: those of a block are 1 to 15, and 0 is the whole block's."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        with T.ws(0):
            T.copy(A, s)
            T.named_barrier_arrive(16, 256)
            T.named_barrier_arrive(0, 256)
        with T.ws(1):
            T.sync_threads(16, 256)
            T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[named-barrier]: barrier 16 does not exist: a block has barriers 1 to 15
#>   --> named_barrier_number.py, line 13
#>  13 |             T.named_barrier_arrive(16, 256)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use another number, or T.sync_threads() for the whole block
#>
#> error[named-barrier]: barrier 0 belongs to the whole block, and all its threads reach it
#>   --> named_barrier_number.py, line 14
#>  14 |             T.named_barrier_arrive(0, 256)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use another number, or T.sync_threads() for the whole block
