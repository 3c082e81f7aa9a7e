# SPDX-License-Identifier: Apache-2.0
# The result of asynchronous copies is read before their wait: the finding names the copy and the read.
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def by_hand(A: T.Tensor((128,), "float32"), C: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=32):
        s = T.alloc_shared((128,), "float32")
        tx = T.get_thread_binding()
        T.ptx_cp_async(T.access_ptr(s[tx * 4], "w"), T.access_ptr(A[tx * 4], "r"), 4)
        T.ptx_commit_group()
        T.sync_threads()
        for j in T.serial(4):
            C[tx * 4 + j] = s[tx * 4 + j]


@T.prim_func
def of_tiles(A: T.Tensor((128,), "float32"), C: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=32):
        s = T.alloc_shared((128,), "float32")
        T.async_copy(A, s)
        T.copy(s, C)


@T.prim_func
def by_engine(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((64, 64), "float16")
        full = T.alloc_barrier(1)
        if T.get_thread_binding() == 0:
            T.mbarrier_expect_tx(full, 64 * 64 * 2)
        T.tma_copy(A, s, barrier=full)
        if T.get_thread_binding() == 0:
            T.mbarrier_arrive(full)
        T.copy(s, C)


vector, box = np.ones(128, np.float32), np.ones((64, 64), np.float16)
for kernel, target, values in ((by_hand, "sm_80", vector), (of_tiles, "mp_31", vector), (by_engine, "sm_90a", box)):
    check(tilelang.compile(kernel, out_idx=-1, target=target), values)
#> pending: s[0] in block (0, 0)  (thread and flat level, 128 times)
#>   forgotten_waits.py, line 17    C[tx * 4 + j] = s[tx * 4 + j]
#>                                    thread 0 (warp 0, lane 0) reads
#>   forgotten_waits.py, line 13    T.ptx_cp_async(T.access_ptr(s[tx * 4], "w"), T.access_ptr(A[tx * 4], "r"), 4)
#>                                    copies into it and is still in flight
#>   forgotten_waits.py, line 11    s = T.alloc_shared((128,), "float32")
#>                                    declares s, shape [128]
#> help: wait for the operation before its data is used or the kernel ends
#>
#> by_hand: 1 finding in 1 block at tile, thread and flat level
#> pending: s[0] in block (0, 0)  (thread and flat level, 32 times)
#>   forgotten_waits.py, line 25    T.copy(s, C)
#>                                    thread 0 (warp 0, lane 0) reads
#>   forgotten_waits.py, line 24    T.async_copy(A, s)
#>                                    copies into it and is still in flight
#>   forgotten_waits.py, line 23    s = T.alloc_shared((128,), "float32")
#>                                    declares s, shape [128]
#> help: wait for the operation before its data is used or the kernel ends
#>
#> of_tiles: 1 finding in 1 block at tile, thread and flat level
#> pending: s[0, 0] in block (0, 0)  (tile, thread and flat level, 512 times)
#>   forgotten_waits.py, line 38    T.copy(s, C)
#>                                    reads
#>   forgotten_waits.py, line 35    T.tma_copy(A, s, barrier=full)
#>                                    copies into it and is still in flight
#>   forgotten_waits.py, line 31    s = T.alloc_shared((64, 64), "float16")
#>                                    declares s, shape [64, 64]
#> help: wait for the operation before its data is used or the kernel ends
#>
#> race: s[0, 0] in block (0, 0), C[0, 0] is nan, with --seed 1 1.0  (thread and flat level, 4096 times)
#>   forgotten_waits.py, line 38    T.copy(s, C)
#>                                    thread 0 (warp 0, lane 0) reads
#>   forgotten_waits.py, line 35    T.tma_copy(A, s, barrier=full)
#>                                    the load issued by thread 0 (warp 0, lane 0) writes
#>   forgotten_waits.py, line 31    s = T.alloc_shared((64, 64), "float16")
#>                                    declares s, shape [64, 64]
#> help: copies and matmuls run asynchronously: wait for them (with their barrier, cp_wait or mma_wait) before the other access
#>
#> by_engine: 2 findings in 1 block at tile, thread and flat level
