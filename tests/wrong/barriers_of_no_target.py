# SPDX-License-Identifier: Apache-2.0
"""Barriers on a GPU that has none."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier(256)
        T.copy(A, s)
        T.barrier_arrive(b)
        T.barrier_wait(b, 0)
        T.copy(s, B)


tilelang.compile(main, target="sm_80").get_kernel_source()
#> CompileError: error[target-lacks]: `b` is not available on sm_80: it has no asynchronous barriers
#>   --> barriers_of_no_target.py, line 11
#>  11 |         b = T.alloc_barrier(256)
#>     |             ^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
#>
#> error[target-lacks]: `bar_arrive` is not available on sm_80: it has no asynchronous barriers
#>   --> barriers_of_no_target.py, line 13
#>  13 |         T.barrier_arrive(b)
#>     |         ^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
#>
#> error[target-lacks]: `bar_wait` is not available on sm_80: it has no asynchronous barriers
#>   --> barriers_of_no_target.py, line 14
#>  14 |         T.barrier_wait(b, 0)
#>     |         ^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
