# SPDX-License-Identifier: Apache-2.0
"""A kernel of CUDA source under another name, and source without a kernel."""
import tilelang
import tilelang.language as T

SOURCE = "extern \"C\" __global__ void __launch_bounds__(64) doubled(float* A) { A[threadIdx.x] *= 2; }"


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    T.CUDASourceCodeKernel(1, threads=64, source_code_or_path=SOURCE)
    T.CUDASourceCodeKernel(1, threads=64, source_code_or_path="int x;", entry_name="x")
    T.CUDASourceCodeKernel(1, threads=64, source_code_or_path=SOURCE, entry_name="doubled")


tilelang.compile(main)
#> CompileError: error[source-entry]: the source has no kernel `main_kernel`
#>   --> source_kernel_entry.py, line 11
#>  11 |     T.CUDASourceCodeKernel(1, threads=64, source_code_or_path=SOURCE)
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: entry_name= is one of: doubled
#>
#> error[source-entry]: the source has no kernel `x`
#>   --> source_kernel_entry.py, line 12
#>  12 |     T.CUDASourceCodeKernel(1, threads=64, source_code_or_path="int x;", entry_name="x")
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write `extern "C" __global__ void x(...)` in the source
