# SPDX-License-Identifier: Apache-2.0
"""T.Pipelined with one place for two statements."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        for k in T.Pipelined(2, num_stages=2, order=[0, 0], stage=[0, 1]):
            T.copy(A, s)
            T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[statement-unsupported]: a kernel cannot contain an order in which two statements have the position 0
#>   --> pipelined_order_twice.py, line 11
#>  11 |         for k in T.Pipelined(2, num_stages=2, order=[0, 0], stage=[0, 1]):
#>     |                                               ^^^^^^^^^^^^
#> help: give each statement a separate position in the iteration
