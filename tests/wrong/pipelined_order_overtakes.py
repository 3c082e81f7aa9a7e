# SPDX-License-Identifier: Apache-2.0
"""T.Pipelined with a statement before the copy that it needs."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((16, 64), "float32")
        for k in T.Pipelined(4, order=[1, 0], stage=[0, 0]):
            T.copy(A[k * 16, 0], s)
            T.copy(s, B[k * 16, 0])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[statement-unsupported]: a kernel cannot contain an order that puts this before the value it needs, `s`
#>   --> pipelined_order_overtakes.py, line 13
#>  12 |             T.copy(A[k * 16, 0], s)
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~ in the same iteration, but later
#>  13 |             T.copy(s, B[k * 16, 0])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^
#> help: give it a later stage, or a later position in `order` in the same stage
