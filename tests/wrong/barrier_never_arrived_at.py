# SPDX-License-Identifier: Apache-2.0
"""A wait for a barrier that is never signalled."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier(128)
        with T.ws(0):
            T.copy(A, s)
        with T.ws(1):
            T.barrier_wait(b, 0)
            T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[barrier-never-signalled]: deadlock: threads wait on barrier `b`, but nothing arrives at it
#>   --> barrier_never_arrived_at.py, line 15
#>  15 |             T.barrier_wait(b, 0)
#>     |             ^^^^^^^^^^^^^^^^^^^^
#> help: let the threads that produce the data call T.barrier_arrive(b)
