# SPDX-License-Identifier: Apache-2.0
# A copy by the copy engine, and an arrival, that is never awaited. Correct is a wait for one barrier of
# several.
import tilelang
import tilelang.language as T

F32 = "float32"


@T.prim_func
def copied(A: T.Tensor((64, 64), F32), B: T.Tensor((64, 64), F32)):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((64, 64), F32)
        ready = T.alloc_barrier(128)
        T.tma_copy(A, s, barrier=ready)
        T.barrier_arrive(ready)
        T.copy(s, B)


@T.prim_func
def two_groups(A: T.Tensor((64, 64), F32), B: T.Tensor((64, 64), F32), waited: T.int32):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), F32)
        full, empty = T.alloc_barrier(128), T.alloc_barrier(128)
        with T.ws(0):
            T.copy(A, s)
            T.barrier_arrive(full)
        with T.ws(1):
            T.barrier_wait(full, 0)
            T.copy(s, B)
            T.barrier_arrive(empty)


@T.prim_func
def right(A: T.Tensor((2, 64, 64), F32), B: T.Tensor((2, 64, 64), F32)):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((2, 64, 64), F32)
        ready = T.alloc_barrier([128, 128])
        for k in T.serial(2):
            T.tma_copy(A[k, 0:64, 0:64], s[k, 0:64, 0:64], barrier=ready[k])
            T.barrier_arrive(ready[k])
        for k in T.serial(2):
            T.barrier_wait(ready[k], 0)
            T.copy(s[k, 0:64, 0:64], B[k, 0:64, 0:64])


for f in copied, two_groups, right:
    tilelang.compile(f)
#> TilelabWarning: warning[barrier-never-awaited]: no thread waits on barrier `ready`
#>   --> barrier_never_waited_for.py, line 15
#>  14 |         ready = T.alloc_barrier(128)
#>     |                 ~~~~~~~~~~~~~~~~~~~~ declared here
#>  15 |         T.tma_copy(A, s, barrier=ready)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: T.barrier_wait(ready, 0) before the use of the copy, alternating the phase between iterations
#> TilelabWarning: warning[barrier-never-awaited]: no thread waits on barrier `empty`
#>   --> barrier_never_waited_for.py, line 31
#>  24 |         full, empty = T.alloc_barrier(128), T.alloc_barrier(128)
#>     |                                             ~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  31 |             T.barrier_arrive(empty)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^
#> help: T.barrier_wait(empty, 0) before the use of the data that the arrival signals, alternating the phase between iterations
