# test: codegen target=mp_31
# By TME the policy is a hint to the caches; other loads have none.
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
#>   extern __shared__ __align__(4096) unsigned char smem[];
#>   const int tid = (int)threadIdx.x;
#>   int sync_phase_5 = 0;
#>   tl_bar_reserve(5);
#>   tl_f16* const s = (tl_f16*)smem;  // kernel.py:6
#>   __align__(16) tl_f16 s_as[32];
#>   float r_as[4];
#>   float* const r_smem = (float*)(smem + 16384);
#>   float* const r_as_smem = (float*)(smem + 16640);
#>   if (tid == 0) {
#>     #pragma unroll
#>     for (int s_1 = 0; s_1 < 2; ++s_1) {
#>       tl_bar_init(1 + s_1, 1);
#>     }
#>     #pragma unroll
#>     for (int s_1 = 0; s_1 < 2; ++s_1) {
#>       tl_bar_init(3 + s_1, 4);
#>     }
#>     tl_bar_init(5, 4);
#>   }
#>   tl_block_sync_full();
#>   if (tid >= 128) {
#>     if (tid == 128) {
#>       int ring_in = 0;
#>       int ring_in_phase = 0;
#>       #pragma unroll 1
#>       for (int k = 0; k < 64; ++k) {  // kernel.py:11
#>         const int s_1 = ring_in;
#>         tl_bar_wait(3 + s_1, ring_in_phase ^ 1);
#>         tl_bar_expect(1 + s_1, 8192);
#>         // kernel.py:12
#>         tl_tma_load_first<0>(smem + s_1 * 8192, A_map, tl_i2(k * 64, 0), tl_i2(64, 64), 1 + s_1);
#>         tl_bar_arrive(1 + s_1);
#>         ring_in ^= 1;
#>         ring_in_phase = ring_in == 0 ? ring_in_phase ^ 1 : ring_in_phase;
#>       }
#>     }
#>   } else {
#>     float r;  // kernel.py:7
#>     int ring_out = 0;
#>     int ring_out_phase = 0;
#>     tl_st(Y + tid * 4, tl_ld<tl_f32x4>(Y + tid * 4) + tl_ld<tl_f32x4>(X + tid * 4));  // kernel.py:9
#>     r = 0.0f;  // kernel.py:10
#>     #pragma unroll 1
#>     for (int k = 0; k < 64; ++k) {  // kernel.py:11
#>       const int s_1 = ring_out;
#>       tl_bar_wait(1 + s_1, ring_out_phase);
#>       #pragma unroll
#>       for (int v = 0; v < 4; ++v) {  // kernel.py:13
#>         tl_st(s_as + v * 8, tl_ld<tl_f16x8>(s + s_1 * 4096 + v * 1024 + tid * 8));
#>       }
#>       if (tid / 64 == 0) {
#>         r_smem[tid % 64] = r;
#>       }
#>       tl_part_sync(5, sync_phase_5);
#>       #pragma unroll
#>       for (int v = 0; v < 4; ++v) {
#>         r_as[v] = r_smem[tid / 8 + v * 16];
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
#>           r_as_smem[tid / 8 + v * 16] = r_as[v];
#>         }
#>       }
#>       tl_part_sync(5, sync_phase_5);
#>       r = r_as_smem[tid % 64];
#>       tl_bar_arrive(3 + s_1);
#>       ring_out ^= 1;
#>       ring_out_phase = ring_out == 0 ? ring_out_phase ^ 1 : ring_out_phase;
#>     }
#>     if (tid < 64) {  // kernel.py:14
#>       Y[512 + tid] = r;
#>     }
#>   }
#> }
