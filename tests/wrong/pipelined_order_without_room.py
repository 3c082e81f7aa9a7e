# SPDX-License-Identifier: Apache-2.0
"""T.Pipelined that fills a fragment again before the previous iteration has been stored."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        f = T.alloc_fragment((16, 64), "float32")
        for k in T.Pipelined(4, order=[0, 1], stage=[0, 1]):
            T.copy(A[k * 16, 0], f)
            T.copy(f, B[k * 16, 0])


tilelang.compile(main).get_kernel_source()
#> TilelabWarning: warning[option-ignored]: the `order` of T.Pipelined is ignored
#>   --> pipelined_order_without_room.py, line 11
#>  11 |         for k in T.Pipelined(4, order=[0, 1], stage=[0, 1]):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: `f` holds one iteration, and line 12 of the next one would run before line 13 of the previous one
#> help: remove it: the compiler schedules the loop itself, and the kernel is correct either way
