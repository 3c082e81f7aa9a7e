# SPDX-License-Identifier: Apache-2.0
"""A tensor's name where an element was meant."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(64):
            B = A[i] + 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[buffer-rebound]: `B` is a tensor; assigning to its name does not store
#>   --> tensor_name_assigned.py, line 11
#>   8 | def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
#>     |                                         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  11 |             B = A[i] + 1.0
#>     |             ^
#> help: write an element: `B[i] = ...`
