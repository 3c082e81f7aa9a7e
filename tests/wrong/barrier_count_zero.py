# SPDX-License-Identifier: Apache-2.0
"""A barrier with an arrival count of 0."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier(0)
        T.copy(A, s)
        T.barrier_arrive(b)
        T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[barrier-count]: barrier with 0 arrivals; at least 1 arrival is required
#>   --> barrier_count_zero.py, line 11
#>  11 |         b = T.alloc_barrier(0)
#>     |                             ^
#> help: set arrive_count to the number of threads that must arrive before the wait ends
