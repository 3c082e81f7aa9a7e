# test: codegen
def main(A: T.Tensor((32,), "float32"), B: T.Tensor((32,), "float32"), n: T.int32):
    with T.Kernel(1, threads=32):
        tid = T.get_thread_binding()
        acc = T.alloc_local((1,), "float32")
        acc[0] = A[tid]
        B[tid] = acc[n] + 1.0
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(32, 1)
#> main_k0(const float* __restrict__ A, float* B, int n) {
#>   const int tid = (int)threadIdx.x;
#>   float acc[1];  // kernel.py:5
#>   acc[0] = A[tid];  // kernel.py:6
#>   B[tid] = acc[n] + 1.0f;  // kernel.py:7
#> }
