# SPDX-License-Identifier: Apache-2.0
"""Each iteration of a T.Parallel declares a tensor."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4,), T.ptr), B: T.Tensor((4,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(4):
            part = T.make_tensor(A[i], (16,), "float32")
            B[i] = part[0]


tilelang.compile(main)
#> CompileError: error[parallel-tile-op]: T.make_tensor inside a T.Parallel
#>   --> tensor_of_pointers_in_parallel.py, line 11
#>  11 |             part = T.make_tensor(A[i], (16,), "float32")
#>     |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: call it before the loop: iterations use one tensor
