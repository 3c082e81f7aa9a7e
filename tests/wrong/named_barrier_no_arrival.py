# SPDX-License-Identifier: Apache-2.0
"""Two groups alternate, and one of them misses its arrival after the first iteration: deadlock."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((128,), "float32")
        T.clear(s)
        with T.ws(1):
            T.named_barrier_arrive(1, 256)
        for k in range(2):
            with T.ws(0):
                T.sync_threads(1, 256)
                for i in T.Parallel(128):
                    s[i] = s[i] + A[i]
                T.named_barrier_arrive(2, 256)
            with T.ws(1):
                T.sync_threads(2, 256)
                for i in T.Parallel(128):
                    B[i] = s[i]


kernel = tilelang.compile(main, out_idx=[1])
kernel(np.ones(128, np.float32))
#> KernelError: deadlock: in block (0, 0), named barrier 1 misses 128 of 256 threads; named barrier 2 misses 128 of 256 threads
#>   named_barrier_no_arrival.py, line 17    T.sync_threads(1, 256)
#>                                             role ws0 waits at named barrier 1
#>   named_barrier_no_arrival.py, line 22    T.sync_threads(2, 256)
#>                                             role ws1 waits at named barrier 2
#>   named_barrier_no_arrival.py, line 14    T.named_barrier_arrive(1, 256)
#>                                             role ws1 would arrive at named barrier 1 here, and is in line 22
#>   named_barrier_no_arrival.py, line 20    T.named_barrier_arrive(2, 256)
#>                                             role ws0 would arrive at named barrier 2 here, and is in line 17
#> help: count the threads that arrive at the barrier, and check that all of them reach it
#> in kernel main
