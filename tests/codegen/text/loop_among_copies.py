# test: codegen target=sm_90a
def main(A: T.Tensor((64, 128), "float32"), B: T.Tensor((64, 128), "float32")):
    with T.Kernel(1, threads=128):
        acc = T.alloc_fragment((64, 128), "float32")
        for i, j in T.Parallel(64, 128):
            acc[i, j] = 0.0
            for k in T.serial(32):
                acc[i, j] = acc[i, j] + A[k, j]
        T.copy(acc, B)
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(128, 1)
#> main_k0(const float* __restrict__ A, float* B) {
#>   const int tid = (int)threadIdx.x;
#>   __align__(16) float acc[64];  // kernel.py:4
#>   #pragma unroll
#>   for (int i = 0; i < 16; ++i) {  // kernel.py:5
#>     tl_st(acc + i * 4, tl_splat<tl_f32x4>(0.0f));  // kernel.py:6
#>     for (int k = 0; k < 32; ++k) {  // kernel.py:7
#>       tl_st(acc + i * 4, tl_ld<tl_f32x4>(acc + i * 4)  // kernel.py:8
#>           + tl_ld<tl_f32x4>(A + k * 128 + tid % 32 * 4));
#>     }
#>   }
#>   #pragma unroll
#>   for (int v = 0; v < 16; ++v) {  // kernel.py:9
#>     tl_st(B + v * 512 + tid * 4, tl_ld<tl_f32x4>(acc + v * 4));
#>   }
#> }
