# test: codegen target=sm_90a
def main(A: T.Tensor((4096,), "uint8"), B: T.Tensor((4096,), "float32")):
    with T.Kernel(1, threads=128):
        packed = T.alloc_fragment((4096,), "uint8")
        wide = T.alloc_fragment((4096,), "float32")
        T.copy(A, packed)
        for i in T.Parallel(4096):
            wide[i] = packed[i]
        T.copy(wide, B)
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(128, 1)
#> main_k0(const tl_u8* __restrict__ A, float* B) {
#>   const int tid = (int)threadIdx.x;
#>   __align__(16) tl_u8 packed[32];  // kernel.py:4
#>   __align__(16) float wide[32];  // kernel.py:5
#>   #pragma unroll
#>   for (int v = 0; v < 2; ++v) {  // kernel.py:6
#>     tl_move<tl_u8x16>(packed + v * 16, A + tid * 16 + v * 2048);
#>   }
#>   #pragma unroll
#>   for (int i = 0; i < 2; ++i) {  // kernel.py:7
#>     #pragma unroll
#>     for (int i_1 = 0; i_1 < 4; ++i_1) {
#>       #pragma unroll
#>       for (int i_1_1 = 0; i_1_1 < 4; ++i_1_1) {
#>         const int at = i * 16 + i_1 * 4 + i_1_1;  // kernel.py:8
#>         wide[at] = (float)packed[at];
#>       }
#>     }
#>   }
#>   #pragma unroll
#>   for (int v = 0; v < 2; ++v) {  // kernel.py:9
#>     #pragma unroll
#>     for (int v_1 = 0; v_1 < 4; ++v_1) {
#>       tl_st(B + tid * 16 + v * 2048 + v_1 * 4, tl_ld<tl_f32x4>(wide + v * 16 + v_1 * 4));
#>     }
#>   }
#> }
