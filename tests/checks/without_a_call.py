# SPDX-License-Identifier: Apache-2.0
"""A kernel without a call: some blocks run on made-up tensors. Each thread waits for an arrival that it makes itself, after the wait."""
import tilelang
import tilelang.language as T


@T.prim_func
def waiting(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier(256)
        T.tma_copy(A, s, barrier=b)
        T.barrier_wait(b, 0)
        T.barrier_arrive(b)
        T.copy(s, B)


@T.prim_func
def right(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(2, threads=128) as bx:
        s = T.alloc_shared((32, 64), "float32")
        T.copy(A[bx * 32, 0], s)
        T.copy(s, B[bx * 32, 0])


for kernel in (waiting, right):
    check(tilelang.compile(kernel))
#> warning[sample-finding]: deadlock: every thread waits, and none can continue
#>   --> without_a_call.py, line 13
#>  13 |         T.barrier_wait(b, 0)
#>     |         ^^^^^^^^^^^^^^^^^^^^ the block waits for b, parity 0
#>  14 |         T.barrier_arrive(b)
#>     |         ~~~~~~~~~~~~~~~~~~~ the block would arrive at b here, and is in line 13
#> help: count the threads that arrive at the barrier, and check that all of them reach it
#>
#> waiting: 1 warning in a sample of its blocks on generated tensors
#>
#> right: no warnings in a sample of its blocks on generated tensors
