# test: codegen target=sm_90a
# X by its annotation, A by the policy of a copy; a tensor that the kernel writes is loaded as usual.
def main(A: T.Tensor((64, 4096), "float16"), X: T.Tensor((4096,), "float32"), Y: T.Tensor((4096,), "float32")):
    with T.Kernel(1, threads=128):
        T.annotate_l2_hit_ratio({X: 0, Y: 0.0})
        s = T.alloc_shared((64, 64), "float16")
        r = T.alloc_fragment((64,), "float32")
        for i in T.Parallel(512):
            Y[i] += X[i]
        T.clear(r)
        for k in T.Pipelined(64, num_stages=2):
            T.copy(A[0:64, k * 64:k * 64 + 64], s, eviction_policy="evict_first")
            T.reduce_sum(s, r, dim=1, clear=False)
        T.copy(r, Y[512])
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(256, 1)
#> main_k0(const float* __restrict__ X, float* Y, const tl_grid_constant tl_map A_map) {
#>   extern __shared__ __align__(1024) unsigned char smem[];
#>   const int bars = tl_shared_address(smem) + 16896;
#>   const int tid = (int)threadIdx.x;
#>   tl_prefetch_maps(A_map);
#>   tl_f16* const s = (tl_f16*)smem;  // kernel.py:6
#>   __align__(16) tl_f16 s_as[32];
#>   float r_as[4];
#>   float* const r_smem = (float*)(smem + 16384);
#>   float* const r_as_smem = (float*)(smem + 16640);
#>   if (tid == 0) {
#>     #pragma unroll
#>     for (int s_1 = 0; s_1 < 2; ++s_1) {
#>       tl_bar_init(bars + s_1 * 8, 1);
#>     }
#>     #pragma unroll
#>     for (int s_1 = 0; s_1 < 2; ++s_1) {
#>       tl_bar_init(bars + (2 + s_1) * 8, 4);
#>     }
#>     tl_init_fence();
#>   }
#>   tl_block_sync_full();
#>   if (tl_uniform(tid < 128)) {
#>     if (tid == 0) {
#>       int ring_in = 0;
#>       int ring_in_phase = 0;
#>       #pragma unroll 1
#>       for (int k = 0; k < 64; ++k) {  // kernel.py:11
#>         const int s_1 = ring_in;
#>         tl_bar_wait(bars + (2 + s_1) * 8, ring_in_phase ^ 1);
#>         tl_fence_proxy();
#>         tl_bar_arrive_expect(bars + s_1 * 8, 8192);
#>         tl_tma_load_first(smem + s_1 * 8192, A_map, bars + s_1 * 8, k * 64, 0);  // kernel.py:12
#>         ring_in ^= 1;
#>         ring_in_phase = ring_in == 0 ? ring_in_phase ^ 1 : ring_in_phase;
#>       }
#>     }
#>   } else {
#>     float r;  // kernel.py:7
#>     int ring_out = 0;
#>     int ring_out_phase = 0;
#>     tl_st(Y + (tid - 128) * 4, tl_ld<tl_f32x4>(Y + (tid - 128) * 4)  // kernel.py:9
#>         + tl_ld_first<tl_f32x4>(X + (tid - 128) * 4));
#>     r = 0.0f;  // kernel.py:10
#>     #pragma unroll 1
#>     for (int k = 0; k < 64; ++k) {  // kernel.py:11
#>       const int s_1 = ring_out;
#>       tl_bar_wait(bars + s_1 * 8, ring_out_phase);
#>       #pragma unroll
#>       for (int v = 0; v < 4; ++v) {  // kernel.py:13
#>         tl_st(s_as + v * 8, tl_ld<tl_f16x8>(s + s_1 * 4096 + v * 1024 + tid * 8 - 1024));
#>       }
#>       if (tid / 64 - 2 == 0) {
#>         r_smem[tid % 64] = r;
#>       }
#>       tl_part_sync(1, 128);
#>       #pragma unroll
#>       for (int v = 0; v < 4; ++v) {
#>         r_as[v] = r_smem[tid / 8 - 16 + v * 16];
#>       }
#>       float r_as_part[4];
#>       #pragma unroll
#>       for (int i = 0; i < 4; ++i) {
#>         r_as_part[i] = 0.0f;
#>       }
#>       #pragma unroll
#>       for (int i = 0; i < 4; ++i) {
#>         #pragma unroll
#>         for (int i_1 = 0; i_1 < 8; ++i_1) {
#>           r_as_part[i] += (float)s_as[i * 8 + i_1];
#>         }
#>       }
#>       #pragma unroll
#>       for (int i = 0; i < 4; ++i) {
#>         #pragma unroll
#>         for (int o = 4; o >= 1; o /= 2) {
#>           r_as_part[i] += tl_shfl_xor(r_as_part[i], o);
#>         }
#>       }
#>       #pragma unroll
#>       for (int i = 0; i < 4; ++i) {
#>         r_as[i] += r_as_part[i];
#>       }
#>       if (tid % 8 == 0) {
#>         #pragma unroll
#>         for (int v = 0; v < 4; ++v) {
#>           r_as_smem[tid / 8 - 16 + v * 16] = r_as[v];
#>         }
#>       }
#>       tl_part_sync(1, 128);
#>       r = r_as_smem[tid % 64];
#>       tl_bar_arrive_warp(bars + (2 + s_1) * 8);
#>       ring_out ^= 1;
#>       ring_out_phase = ring_out == 0 ? ring_out_phase ^ 1 : ring_out_phase;
#>     }
#>     if (tid - 128 < 64) {  // kernel.py:14
#>       Y[tid + 384] = r;
#>     }
#>   }
#> }
