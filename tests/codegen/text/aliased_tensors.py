# test: codegen
# T.annotate_restrict_buffers: A may be the memory of C; B is not.
def main(A: T.Tensor((32,), "float32"), B: T.Tensor((32,), "float32"), C: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=32):
        T.annotate_restrict_buffers(A, C)
        tid = T.get_thread_binding()
        C[tid] = A[tid] + B[tid]
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(32, 1)
#> main_k0(const float* A, const float* __restrict__ B, float* C) {
#>   const int tid = (int)threadIdx.x;
#>   C[tid] = A[tid] + B[tid];  // kernel.py:7
#> }
