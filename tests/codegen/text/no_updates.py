# test: codegen
def main(A: T.Tensor((32,), "float32"), B: T.Tensor((33,), "float32"), H: T.Tensor((32,), "float16")):
    with T.Kernel(1, threads=32):
        i = T.get_thread_binding()
        x = T.alloc_var("float32", init=1.0)
        for k in T.serial(A.shape[0]):
            x = A[k] - x
            x = x / A[i]
        B[i] = B[i + 1] + x
        H[i] = H[i] + T.float16(2.0)
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(32, 1)
#> main_k0(const float* __restrict__ A, float* B, tl_f16* H) {
#>   const int tid = (int)threadIdx.x;
#>   float x = 1.0f;  // kernel.py:5
#>   #pragma unroll 8
#>   for (int k = 0; k < 32; ++k) {  // kernel.py:6
#>     x = A[k] - x;  // kernel.py:7
#>     x = x / A[tid];  // kernel.py:8
#>   }
#>   B[tid] = B[tid + 1] + x;  // kernel.py:9
#>   H[tid] = H[tid] + tl_f16(2.0f);  // kernel.py:10
#> }
