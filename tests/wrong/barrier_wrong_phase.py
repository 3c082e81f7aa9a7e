# SPDX-License-Identifier: Apache-2.0
"""A wait for the second phase of a barrier that has one."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier(128)
        c = T.alloc_barrier(128)
        with T.ws(0):
            T.barrier_wait(c, 0)
            T.copy(A, s)
            T.barrier_arrive(b)
        with T.ws(1):
            T.barrier_wait(b, 0)
            T.copy(s, B)
            T.barrier_arrive(c)


kernel = tilelang.compile(main, out_idx=[1])
kernel(np.ones((64, 64), np.float32))
#> KernelError: deadlock: in block (0, 0), c is in its phase of parity 0 and is missing 128 of 128 arrivals; b is in its phase of parity 0 and is missing 128 of 128 arrivals
#>   barrier_wrong_phase.py, line 15    T.barrier_wait(c, 0)    role ws0 waits for c, parity 0
#>   barrier_wrong_phase.py, line 19    T.barrier_wait(b, 0)    role ws1 waits for b, parity 0
#>   barrier_wrong_phase.py, line 21    T.barrier_arrive(c)     role ws1 would arrive at c here, and is in line 19
#>   barrier_wrong_phase.py, line 17    T.barrier_arrive(b)     role ws0 would arrive at b here, and is in line 15
#> help: count the threads that arrive at the barrier, and check that all of them reach it
#> in kernel main
