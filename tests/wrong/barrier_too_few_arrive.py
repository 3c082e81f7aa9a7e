# SPDX-License-Identifier: Apache-2.0
"""Fewer threads arrive than the barrier waits for."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier(256)
        with T.ws(0):
            T.copy(A, s)
            T.barrier_arrive(b)
        with T.ws(1):
            T.barrier_wait(b, 0)
            T.copy(s, B)


kernel = tilelang.compile(main, out_idx=[1])
kernel(np.ones((64, 64), np.float32))
#> KernelError: deadlock: in block (0, 0), b is in its phase of parity 0 and is missing 128 of 256 arrivals
#>   barrier_too_few_arrive.py, line 17    T.barrier_wait(b, 0)    role ws1 waits for b, parity 0
#>   barrier_too_few_arrive.py, line 15    T.barrier_arrive(b)     role ws0 would arrive at b here, and has ended
#> help: count the threads that arrive at the barrier, and check that all of them reach it
#> in kernel main
