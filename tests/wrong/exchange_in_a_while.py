# SPDX-License-Identifier: Apache-2.0
"""Threads read what others wrote in a loop that each of them leaves separately: no barrier is possible there. In one whose iterations all
make they can, and do."""
import tilelang
import tilelang.language as T


@T.prim_func
def alone(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        s = T.alloc_shared((64,), "int32")
        left = T.alloc_var("int32")
        left = A[tx]
        while left > 0:
            s[tx] = left
            left = left - s[63 - tx]
        B[tx] = left


@T.prim_func
def together(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        s = T.alloc_shared((64,), "int32")
        left = T.alloc_var("int32")
        left = A[tx]
        if tx < 40:
            for outer in T.serial(4):
                s[tx] = left
                left = left - s[39 - tx]
        B[tx] = left


for kernel in alone, together:
    tilelang.compile(kernel).get_kernel_source()
#> TilelabWarning: warning[missing-barrier-in-branch]: missing barrier: threads in this branch exchange `s` through memory
#>   --> exchange_in_a_while.py, line 17
#>  16 |             s[tx] = left
#>     |             ~~~~~~~~~~~~ other threads write s
#>  17 |             left = left - s[63 - tx]
#>     |                           ^^^^^^^^^^ reads s
#> help: let all threads reach these lines, and put only single statements under the condition
