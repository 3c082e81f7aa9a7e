# SPDX-License-Identifier: Apache-2.0
"""The number of a barrier in place of the barrier."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier([128, 128])
        with T.ws(0):
            T.copy(A, s)
            T.barrier_arrive(0)
        with T.ws(1):
            T.barrier_wait(b, 0)
            T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[barrier-needed]: T.barrier_arrive expects a barrier, found the integer 0
#>   --> barrier_is_a_number.py, line 14
#>  14 |             T.barrier_arrive(0)
#>     |                              ^
#> help: make one before the loop: `b = T.alloc_barrier(128)`
#>
#> error[barrier-needed]: T.barrier_wait expects a barrier, found an array of barriers
#>   --> barrier_is_a_number.py, line 16
#>  16 |             T.barrier_wait(b, 0)
#>     |                            ^
#> help: select one: `b[0]`
