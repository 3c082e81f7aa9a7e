# SPDX-License-Identifier: Apache-2.0
"""T.cp_async_barrier_noinc does not wait: the thread that issued the copies sees them after the barrier only, like all others."""
import numpy as np
import tilelang.language as T

TARGET = "sm_90a"


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            s = T.alloc_shared((64, 32), "float32")
            ready = T.alloc_barrier(arrive_count=64)
            for v in T.serial(8):
                T.ptx_cp_async(T.access_ptr(s[tx, v * 4], "w"), T.access_ptr(A[tx, v * 4], "r"), 4)
            T.cp_async_barrier_noinc(ready)
            if not bug:
                T.barrier_wait(ready, 0)
            for j in T.serial(32):
                B[tx, j] = s[tx, j]
            T.barrier_wait(ready, 0)
    return main


def arrays(rng):
    return [rng.random((64, 32), np.float32), np.zeros((64, 32), np.float32)]
#> tile level: nothing is found
#> thread level:
#> race: s[0, 0] in block (0, 0)  (2048 times)
#>   wait_after_an_arrival_forgotten.py, line 17    T.ptx_cp_async(T.access_ptr(s[tx, v * 4], "w"), T.access_ptr(A[tx, v * 4], "r"), 4)
#>                                                    a copy issued by warp 0 writes
#>   wait_after_an_arrival_forgotten.py, line 22    B[tx, j] = s[tx, j]
#>                                                    thread 0 (warp 0, lane 0) reads
#>   wait_after_an_arrival_forgotten.py, line 14    s = T.alloc_shared((64, 32), "float32")
#>                                                    declares s, shape [64, 32]
#> help: copies and matmuls run asynchronously: wait for them (with their barrier, cp_wait or mma_wait) before the other access
#> in kernel main
#> flat level:
#> race: s[0] in block (0, 0)  (2048 times)
#>   wait_after_an_arrival_forgotten.py, line 17    T.ptx_cp_async(T.access_ptr(s[tx, v * 4], "w"), T.access_ptr(A[tx, v * 4], "r"), 4)
#>                                                    a copy issued by warp 0 writes
#>   wait_after_an_arrival_forgotten.py, line 22    B[tx, j] = s[tx, j]
#>                                                    thread 0 (warp 0, lane 0) reads
#>   wait_after_an_arrival_forgotten.py, line 14    s = T.alloc_shared((64, 32), "float32")
#>                                                    declares s, shape [2048]
#> help: copies and matmuls run asynchronously: wait for them (with their barrier, cp_wait or mma_wait) before the other access
#> in kernel main
