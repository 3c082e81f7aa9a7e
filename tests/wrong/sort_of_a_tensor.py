# SPDX-License-Identifier: Apache-2.0
"""A tensor is sorted in shared memory."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        T.sort(A[0:32])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[sort-memory]: T.sort of `A`, which is a tensor
#>   --> sort_of_a_tensor.py, line 10
#>  10 |         T.sort(A[0:32])
#>     |                ^^^^^^^
#> help: copy the tile to shared memory, T.alloc_shared, and back
