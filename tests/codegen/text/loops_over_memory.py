# test: codegen target=sm_90a
def main(A: T.Tensor((32, 24), "float32"), B: T.Tensor((32, 24), "float32"), C: T.Tensor((64,), "int32"), D: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=32):
        tid = T.get_thread_binding(0)
        each = T.alloc_local((768,), "float32")  # too many for registers
        for i in T.unroll(32):
            for j in T.unroll(24):
                each[i * 24 + j] = A[i, j] * 2.0
        for i in T.unroll(768):
            B[i // 24, i % 24] = each[i]
        found = T.alloc_local((96,), "int32")  # accessed by a dynamic index
        for i in T.unroll(96):
            found[i] = C[i % 64]
        D[tid] = found[C[tid] % 96]
        few = T.alloc_local((96,), "int32")  # in registers
        for i in T.unroll(96):
            few[i] = C[i % 64]
        for i in T.unroll(96):
            D[i % 64] = few[i]
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(32, 1)
#> main_k0(const float* __restrict__ A, float* B, const int* __restrict__ C, int* D) {
#>   const int tid = (int)threadIdx.x;
#>   float each[768];  // kernel.py:5
#>   #pragma unroll 1
#>   for (int i = 0; i < 32; ++i) {  // kernel.py:6
#>     #pragma unroll
#>     for (int j = 0; j < 24; ++j) {  // kernel.py:7
#>       each[i * 24 + j] = A[i * 24 + j] * 2.0f;  // kernel.py:8
#>     }
#>   }
#>   if (tid == 0) {  // kernel.py:10
#>     #pragma unroll 1
#>     for (int i = 0; i < 768; ++i) {  // kernel.py:9
#>       B[i] = each[i];  // kernel.py:10
#>     }
#>   }
#>   int found[96];  // kernel.py:11
#>   #pragma unroll 1
#>   for (int i = 0; i < 96; ++i) {  // kernel.py:12
#>     found[i] = C[i % 64];  // kernel.py:13
#>   }
#>   D[tid] = found[tl_floormod(C[tid], 96)];  // kernel.py:14
#>   int few[96];  // kernel.py:15
#>   #pragma unroll
#>   for (int i = 0; i < 96; ++i) {  // kernel.py:16
#>     few[i] = C[i % 64];  // kernel.py:17
#>   }
#>   tl_block_sync_full();
#>   if (tid == 0) {  // kernel.py:19
#>     #pragma unroll
#>     for (int i = 0; i < 96; ++i) {  // kernel.py:18
#>       D[i % 64] = few[i];  // kernel.py:19
#>     }
#>   }
#> }
