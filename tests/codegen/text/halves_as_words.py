# test: codegen target=sm_80
# From memory to memory; registers stay values.
def main(A: T.Tensor((2048,), "float32"), B: T.Tensor((1024,), "bfloat16"), C: T.Tensor((2048,), "bfloat16")):
    with T.Kernel(1, threads=128):
        out = T.alloc_shared((2048,), "bfloat16")
        kept = T.alloc_fragment((2048,), "bfloat16")
        T.copy(A, out)
        T.copy(out[1024:2048], B)
        T.copy(out, kept)
        T.copy(kept, C)
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(128, 1)
#> main_k0(const float* __restrict__ A, tl_bf16* B, tl_bf16* C) {
#>   extern __shared__ __align__(1024) unsigned char smem[];
#>   const int tid = (int)threadIdx.x;
#>   tl_bf16* const out = (tl_bf16*)smem;  // kernel.py:5
#>   __align__(16) tl_bf16 kept[16];  // kernel.py:6
#>   #pragma unroll
#>   for (int v = 0; v < 4; ++v) {  // kernel.py:7
#>     tl_st(out + tid * 4 + v * 512, tl_cast<tl_bf16x4>(tl_ld<tl_f32x4>(A + tid * 4 + v * 512)));
#>   }
#>   tl_block_sync();
#>   tl_move<tl_bf16x8>(B + tid * 8, out + tid * 8 + 1024);  // kernel.py:8
#>   #pragma unroll
#>   for (int v = 0; v < 2; ++v) {  // kernel.py:9
#>     tl_st(kept + v * 8, tl_ld<tl_bf16x8>(out + tid * 8 + v * 1024));
#>   }
#>   #pragma unroll
#>   for (int v = 0; v < 2; ++v) {  // kernel.py:10
#>     tl_st(C + tid * 8 + v * 1024, tl_ld<tl_bf16x8>(kept + v * 8));
#>   }
#> }
