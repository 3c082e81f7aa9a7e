# SPDX-License-Identifier: Apache-2.0
"""T.Pipelined with two places for three statements."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((16, 64), "float32")
        f = T.alloc_fragment((16, 64), "float32")
        for k in T.Pipelined(4, order=[0, 1], stage=[0, 1]):
            T.copy(A[k * 16, 0], s)
            T.copy(s, f)
            T.copy(f, B[k * 16, 0])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[statement-unsupported]: a kernel cannot contain an order of 2 statements in a loop of 3 statements (of the lines 13, 14, 15)
#>   --> pipelined_order_of_too_few.py, line 12
#>  12 |         for k in T.Pipelined(4, order=[0, 1], stage=[0, 1]):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: give order and stage one number for each statement of the loop; a binding such as `base = k * 64` is not a statement
