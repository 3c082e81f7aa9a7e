# SPDX-License-Identifier: Apache-2.0
"""Functions as NumPy and torch call them."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(64):
            B[i] = T.where(A[i] > 0.0, A[i], 0.0) + T.relu(A[i]) + T.maximum(A[i], 1.0)
        C = T.zeros((64,), "float32")
        T.dot(A, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[builtin-unknown]: `T.where` does not exist
#>   --> name_of_torch.py, line 11
#>  11 |             B[i] = T.where(A[i] > 0.0, A[i], 0.0) + T.relu(A[i]) + T.maximum(A[i], 1.0)
#>     |                    ^^^^^^^
#> help: `T.if_then_else(condition, a, b)` does this in a kernel
#>
#> error[builtin-unknown]: `T.relu` does not exist
#>   --> name_of_torch.py, line 11
#>  11 |             B[i] = T.where(A[i] > 0.0, A[i], 0.0) + T.relu(A[i]) + T.maximum(A[i], 1.0)
#>     |                                                     ^^^^^^
#> help: `T.max(x, 0)` does this in a kernel
#>
#> error[builtin-unknown]: `T.maximum` does not exist
#>   --> name_of_torch.py, line 11
#>  11 |             B[i] = T.where(A[i] > 0.0, A[i], 0.0) + T.relu(A[i]) + T.maximum(A[i], 1.0)
#>     |                                                                    ^^^^^^^^^
#> help: `T.max(a, b)` does this in a kernel
#>
#> error[builtin-unknown]: `T.zeros` does not exist
#>   --> name_of_torch.py, line 12
#>  12 |         C = T.zeros((64,), "float32")
#>     |             ^^^^^^^
#> help: `buffer = T.alloc_fragment(shape, dtype) and T.clear(buffer)` does this in a kernel
#>
#> error[builtin-unknown]: `T.dot` does not exist
#>   --> name_of_torch.py, line 13
#>  13 |         T.dot(A, B)
#>     |         ^^^^^
#> help: `T.gemm(A, B, C)` does this in a kernel
