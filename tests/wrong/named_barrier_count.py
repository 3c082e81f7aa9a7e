# SPDX-License-Identifier: Apache-2.0
"""Counts of barriers by number: no whole warps, fewer than come, different ones, more than ever come."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        tx = T.get_thread_binding()
        with T.ws(0):
            T.copy(A, s)
            T.named_barrier_arrive(1, 200)
            T.named_barrier_arrive(2, 64)
            T.named_barrier_arrive(3, 256)
        with T.ws(1):
            T.sync_threads(1, 200)
            T.sync_threads(2, 64)
            T.sync_threads(3, 192)
            T.sync_threads(4, 256)
            T.copy(s, B)
        if tx < 48:
            T.named_barrier_arrive(5, 256)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[named-barrier]: barrier 1 is for 200 threads, which is not a multiple of the warp size
#>   --> named_barrier_count.py, line 14
#>  14 |             T.named_barrier_arrive(1, 200)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use a multiple of 32: the threads of a warp arrive together
#>
#> error[named-barrier]: barrier 2 is for 64 threads, but 128 of 256 reach it
#>   --> named_barrier_count.py, line 15
#>  15 |             T.named_barrier_arrive(2, 64)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: count the threads that arrive and those that wait; use T.sync_threads() for the whole block
#>
#> error[named-barrier]: barrier 3 is for 192 threads here and for 256 in line 16
#>   --> named_barrier_count.py, line 20
#>  20 |             T.sync_threads(3, 192)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^
#> help: a phase ends when this number of threads has arrived: use the same number at all places
#>
#> error[named-barrier]: barrier 4 is for 256 threads, of which 128 reach it in the whole kernel
#>   --> named_barrier_count.py, line 21
#>  21 |             T.sync_threads(4, 256)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^
#> help: count the threads that arrive and those that wait, or let others arrive with T.named_barrier_arrive
#>
#> error[named-barrier]: barrier 5 needs whole warps, but threads 0 to 47 reach it
#>   --> named_barrier_count.py, line 24
#>  24 |             T.named_barrier_arrive(5, 256)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: let all threads of a warp reach it
