# test: codegen
def main(A: T.Tensor((32,), "float32"), B: T.Tensor((33,), "float32"), C: T.Tensor((32,), "int32")):
    with T.Kernel(1, threads=32):
        i = T.get_thread_binding()
        x = T.alloc_var("float32", init=1.0)
        n = T.alloc_var("int32", init=0)
        for k in T.serial(A.shape[0]):
            x = x + A[k]
            x = x * 2.0
            x = x - A[i]
            n = n + 1
            n = n + k
        B[i] = B[i] + x
        C[i] = C[i] ^ n
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(32, 1)
#> main_k0(const float* __restrict__ A, float* B, int* C) {
#>   const int tid = (int)threadIdx.x;
#>   float x = 1.0f;  // kernel.py:5
#>   int n = 0;  // kernel.py:6
#>   #pragma unroll 8
#>   for (int k = 0; k < 32; ++k) {  // kernel.py:7
#>     x += A[k];  // kernel.py:8
#>     x *= 2.0f;  // kernel.py:9
#>     x -= A[tid];  // kernel.py:10
#>     ++n;  // kernel.py:11
#>     n += k;  // kernel.py:12
#>   }
#>   B[tid] += x;  // kernel.py:13
#>   C[tid] ^= n;  // kernel.py:14
#> }
