# test: codegen
# Eight iterations that load issue their loads together, also eight of many that load a few bytes. Others are left to the compiler, as are those
# that synchronize, load nothing or would leave most of the eight to a remainder.
def main(A: T.Tensor((8, 64), "float32"), B: T.Tensor((64, 64), "float32"), C: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tid = T.get_thread_binding()
        s = T.alloc_shared((64,), "float32")
        acc = T.alloc_var("float32")
        acc = 0.0
        for k in T.serial(8):
            acc = T.exp(acc) + A[k, tid]
        for k in T.serial(9):
            acc = T.exp(acc) + B[k, tid]
        for k in T.serial(64):
            acc = T.exp(acc) + B[k, tid]
        for k in T.serial(64):
            for j in T.serial(16):
                acc = T.exp(acc) + B[k, j]
        for k in T.serial(8):
            acc = T.exp(acc)
        for k in T.serial(4):
            s[tid] = acc
            T.sync_threads()
            acc = s[63 - tid] + B[k, tid]
            T.sync_threads()
        C[tid] = acc
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(64, 1)
#> main_k0(const float* __restrict__ A, const float* __restrict__ B, float* C) {
#>   extern __shared__ __align__(4096) unsigned char smem[];
#>   const int tid = (int)threadIdx.x;
#>   float* const s = (float*)smem;  // kernel.py:7
#>   float acc = 0.0f;  // kernel.py:8
#>   acc = 0.0f;  // kernel.py:9
#>   #pragma unroll
#>   for (int k = 0; k < 8; ++k) {  // kernel.py:10
#>     acc = tl_exp(acc) + A[k * 64 + tid];  // kernel.py:11
#>   }
#>   for (int k = 0; k < 9; ++k) {  // kernel.py:12
#>     acc = tl_exp(acc) + B[k * 64 + tid];  // kernel.py:13
#>   }
#>   #pragma unroll 8
#>   for (int k = 0; k < 64; ++k) {  // kernel.py:14
#>     acc = tl_exp(acc) + B[k * 64 + tid];  // kernel.py:15
#>   }
#>   for (int k = 0; k < 64; ++k) {  // kernel.py:16
#>     #pragma unroll 8
#>     for (int j = 0; j < 16; ++j) {  // kernel.py:17
#>       acc = tl_exp(acc) + B[k * 64 + j];  // kernel.py:18
#>     }
#>   }
#>   for (int k = 0; k < 8; ++k) {  // kernel.py:19
#>     acc = tl_exp(acc);  // kernel.py:20
#>   }
#>   for (int k = 0; k < 4; ++k) {  // kernel.py:21
#>     s[tid] = acc;  // kernel.py:22
#>     tl_block_sync_full();  // kernel.py:23
#>     acc = s[63 - tid] + B[k * 64 + tid];  // kernel.py:24
#>     tl_block_sync_full();  // kernel.py:25
#>   }
#>   C[tid] = acc;  // kernel.py:26
#> }
