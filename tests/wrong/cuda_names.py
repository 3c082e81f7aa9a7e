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
#> help: use the name of the block index in `with T.Kernel(...) as bx`
#>
#> error[name-unknown]: `threadIdx` is not defined
#>   --> cuda_names.py, line 10
#>  10 |         B[blockIdx.x * 32 + threadIdx.x] = A[blockIdx.x * 32 + threadIdx.x]
#>     |                                                                ^^^^^^^^^
#> help: use T.get_thread_binding() for the thread index; T.copy and T.Parallel distribute their work over threads
