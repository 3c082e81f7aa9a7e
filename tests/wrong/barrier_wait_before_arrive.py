# SPDX-License-Identifier: Apache-2.0
"""All threads wait for what they themselves would do next."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier(256)
        T.tma_copy(A, s, barrier=b)
        T.barrier_wait(b, 0)
        T.barrier_arrive(b)
        T.copy(s, B)


kernel = tilelang.compile(main, out_idx=[1])
kernel(np.ones((64, 64), np.float32))
#> KernelError: deadlock: in block (0, 0), b is in its phase of parity 0 and is missing 256 of 256 arrivals and 16384 bytes
#>   barrier_wait_before_arrive.py, line 14    T.barrier_wait(b, 0)    the block waits for b, parity 0
#>   barrier_wait_before_arrive.py, line 15    T.barrier_arrive(b)     the block would arrive at b here, and is in line 14
#> help: count the threads that arrive at the barrier, and check that all of them reach it
#> in kernel main
