# SPDX-License-Identifier: Apache-2.0
"""Two groups alternate with numbered barriers; one of them misses its arrival after the first iteration."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=256) as _:
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
                        B[i] = s[127 - i]
                    if not bug:
                        T.named_barrier_arrive(1, 256)
    return main


def arrays(rng):
    return [rng.random(128, np.float32), np.zeros(128, np.float32)]
#> tile level:
#> deadlock: in block (0, 0), named barrier 1 misses 128 of 256 threads; named barrier 2 misses 128 of 256 threads
#>   named_arrive_forgotten.py, line 17    T.sync_threads(1, 256)
#>                                           role ws0 waits at named barrier 1
#>   named_arrive_forgotten.py, line 22    T.sync_threads(2, 256)
#>                                           role ws1 waits at named barrier 2
#>   named_arrive_forgotten.py, line 14    T.named_barrier_arrive(1, 256)
#>                                           role ws1 would arrive at named barrier 1 here, and is in line 22
#>   named_arrive_forgotten.py, line 20    T.named_barrier_arrive(2, 256)
#>                                           role ws0 would arrive at named barrier 2 here, and is in line 17
#> help: count the threads that arrive at the barrier, and check that all of them reach it
#> in kernel main
#> thread level:
#> deadlock: in block (0, 0), 0 of 8 warps have ended; named_barrier_1[0] misses 4 arrivals and 0 bytes; named_barrier_2[0] misses 4 arrivals and 0 bytes
#>   named_arrive_forgotten.py, line 17    T.sync_threads(1, 256)
#>                                           warp 0, 1, 2, 3 waits at named_barrier_1[0]
#>   named_arrive_forgotten.py, line 22    T.sync_threads(2, 256)
#>                                           warp 4, 5, 6, 7 waits at named_barrier_2[0]
#>   named_arrive_forgotten.py, line 20    T.named_barrier_arrive(2, 256)
#>                                           would arrive at named_barrier_2[0]
#>   named_arrive_forgotten.py, line 14    T.named_barrier_arrive(1, 256)
#>                                           would arrive at named_barrier_1[0]
#> help: count the threads that arrive at the barrier, and check that all of them reach it
#> in kernel main
#> flat level:
#> deadlock: in block (0, 0), 0 of 8 warps have ended; barrier 1 misses 4 arrivals and 0 bytes; barrier 2 misses 4 arrivals and 0 bytes
#>   named_arrive_forgotten.py, line 17    T.sync_threads(1, 256)
#>                                           warp 0, 1, 2, 3 waits at barrier 1
#>   named_arrive_forgotten.py, line 22    T.sync_threads(2, 256)
#>                                           warp 4, 5, 6, 7 waits at barrier 2
#>   named_arrive_forgotten.py, line 20    T.named_barrier_arrive(2, 256)
#>                                           would arrive at barrier 2
#>   named_arrive_forgotten.py, line 14    T.named_barrier_arrive(1, 256)
#>                                           would arrive at barrier 1
#> help: count the threads that arrive at the barrier, and check that all of them reach it
#> in kernel main
