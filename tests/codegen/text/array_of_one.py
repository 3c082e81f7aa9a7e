# test: codegen
def main(A: T.Tensor((8, 32), "float32"), B: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=32):
        tid = T.get_thread_binding()
        acc = T.alloc_local((1,), "float32")
        pair = T.alloc_local((2,), "float32")
        unread = T.alloc_local((1,), "float32")
        acc[0] = 0.0
        pair[0] = 0.0
        pair[1] = 1.0
        for k in T.serial(8):
            acc[0] = acc[0] + A[k, tid]
            pair[k % 2] = pair[k % 2] * A[k, tid]
        unread[0] = acc[0]
        B[tid] = acc[0] + pair[0] + pair[1]
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(32, 1)
#> main_k0(const float* __restrict__ A, float* B) {
#>   const int tid = (int)threadIdx.x;
#>   float acc;  // kernel.py:5
#>   float pair[2];  // kernel.py:6
#>   float unread[1];  // kernel.py:7
#>   acc = 0.0f;  // kernel.py:8
#>   pair[0] = 0.0f;  // kernel.py:9
#>   pair[1] = 1.0f;  // kernel.py:10
#>   #pragma unroll
#>   for (int k = 0; k < 8; ++k) {  // kernel.py:11
#>     acc += A[k * 32 + tid];  // kernel.py:12
#>     pair[k % 2] *= A[k * 32 + tid];  // kernel.py:13
#>   }
#>   unread[0] = acc;  // kernel.py:14
#>   B[tid] = acc + pair[0] + pair[1];  // kernel.py:15
#> }
