# SPDX-License-Identifier: Apache-2.0
"""Copies of T.ptx_cp_async are pending until T.ptx_wait_group, regardless of barriers."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            s = T.alloc_shared((64, 32), "float32")
            T.clear(s)
            for v in T.serial(8):
                T.ptx_cp_async(T.access_ptr(s[tx, v * 4], "w"), T.access_ptr(A[tx, v * 4], "r"), 4)
            T.ptx_commit_group()
            if not bug:
                T.ptx_wait_group(0)
            T.sync_threads()
            for j in T.serial(32):
                B[tx, j] = s[63 - tx, j]
            T.ptx_wait_group(0)
    return main


def arrays(rng):
    return [rng.random((64, 32), np.float32), np.zeros((64, 32), np.float32)]
#> tile level: nothing is found
#> thread level:
#> race: s[63, 0] in block (0, 0)  (2048 times)
#>   wait_for_copies_forgotten.py, line 15    T.ptx_cp_async(T.access_ptr(s[tx, v * 4], "w"), T.access_ptr(A[tx, v * 4], "r"), 4)
#>                                              a copy issued by warp 1 writes
#>   wait_for_copies_forgotten.py, line 21    B[tx, j] = s[63 - tx, j]
#>                                              thread 0 (warp 0, lane 0) reads
#>   wait_for_copies_forgotten.py, line 12    s = T.alloc_shared((64, 32), "float32")
#>                                              declares s, shape [64, 32]
#> help: copies and matmuls run asynchronously: wait for them (with their barrier, cp_wait or mma_wait) before the other access
#> in kernel main
#> flat level:
#> race: s[2016] in block (0, 0)  (2048 times)
#>   wait_for_copies_forgotten.py, line 15    T.ptx_cp_async(T.access_ptr(s[tx, v * 4], "w"), T.access_ptr(A[tx, v * 4], "r"), 4)
#>                                              a copy issued by warp 1 writes
#>   wait_for_copies_forgotten.py, line 21    B[tx, j] = s[63 - tx, j]
#>                                              thread 0 (warp 0, lane 0) reads
#>   wait_for_copies_forgotten.py, line 12    s = T.alloc_shared((64, 32), "float32")
#>                                              declares s, shape [2048]
#> help: copies and matmuls run asynchronously: wait for them (with their barrier, cp_wait or mma_wait) before the other access
#> in kernel main
