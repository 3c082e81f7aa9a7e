# SPDX-License-Identifier: Apache-2.0
"""Names of CUDA C: a block's number and a thread's."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(2, threads=32):
        B[blockIdx.x * 32 + threadIdx.x] = A[blockIdx.x * 32 + threadIdx.x]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[name-unknown]: `blockIdx` is not defined
#>   --> cuda_names.py, line 10
#>  10 |         B[blockIdx.x * 32 + threadIdx.x] = A[blockIdx.x * 32 + threadIdx.x]
#>     |                                              ^^^^^^^^
#> help: a block's number has the name that `with T.Kernel(...) as bx` gives it
#>
#> error[name-unknown]: `threadIdx` is not defined
#>   --> cuda_names.py, line 10
#>  10 |         B[blockIdx.x * 32 + threadIdx.x] = A[blockIdx.x * 32 + threadIdx.x]
#>     |                                                                ^^^^^^^^^
#> help: T.copy and T.Parallel share their work out among the threads; a thread's own number is T.get_thread_binding()
