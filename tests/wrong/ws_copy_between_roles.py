# SPDX-License-Identifier: Apache-2.0
"""A copy of all threads between what roles do."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier(128)
        for k in range(2):
            with T.ws(0):
                T.copy(A, s)
                T.barrier_arrive(b)
            T.copy(s, B)
            with T.ws(1):
                T.barrier_wait(b, k)
                T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[role-together]: this copy is used where warp groups have diverged
#>   --> ws_copy_between_roles.py, line 16
#>  16 |             T.copy(s, B)
#>     |             ^^^^^^^^^^^^
#> help: put it under T.ws(...) of one group, before the first T.ws, or after the last
