# test: codegen target=sm_90a
def main(A: T.Tensor((64, 256), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(4, num_stages=2):
            T.copy(A[0, k * 64], a)
            T.gemm(a, a, c, transpose_B=True)
        T.copy(c, C)
#> #include "tl_device.h"
#>
#> /// C of 64 x 64: += A B, or = A B.
#> template <int accumulate, int tA, int tB>
#> TL_FN void tl_wgmma_m64n64k16_f16_ss(float* c, tl_u64 a, tl_u64 b) {
#>   asm volatile(
#>       "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
#>       "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
#>       "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
#>       "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
#>       "%32, %33, p, 1, 1, %35, %36;\n}"
#>       : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
#>         "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
#>         "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]),
#>         "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
#>         "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),
#>         "+f"(c[30]), "+f"(c[31])
#>       : "l"(a), "l"(b), "n"(accumulate), "n"(tA), "n"(tB));
#> }
#>
#> extern "C" __global__ void __launch_bounds__(256, 1)
#> main_k0(const tl_grid_constant tl_map A_map, const tl_grid_constant tl_map C_map) {
#>   extern __shared__ __align__(1024) unsigned char smem[];
#>   const tl_u64 operands = tl_arena(smem);
#>   const int bars = tl_shared_address(smem) + 32768;
#>   const int tid = (int)threadIdx.x;
#>   tl_prefetch_maps(A_map, C_map);
#>   float* const C_out = (float*)(smem + 16384);
#>   if (tid == 0) {
#>     #pragma unroll
#>     for (int s = 0; s < 2; ++s) {
#>       tl_bar_init(bars + s * 8, 1);
#>     }
#>     #pragma unroll
#>     for (int s = 0; s < 2; ++s) {
#>       tl_bar_init(bars + (2 + s) * 8, 1);
#>     }
#>     tl_init_fence();
#>   }
#>   tl_block_sync_full();
#>   if (tl_uniform(tid < 128)) {
#>     if (tid == 0) {
#>       int ring_in = 0;
#>       int ring_in_phase = 0;
#>       #pragma unroll 1
#>       for (int k = 0; k < 4; ++k) {  // kernel.py:7
#>         const int s = ring_in;
#>         tl_bar_wait(bars + (2 + s) * 8, ring_in_phase ^ 1);
#>         tl_bar_arrive_expect(bars + s * 8, 8192);
#>         tl_tma_load(smem + s * 8192, A_map, bars + s * 8, k * 64, 0);  // kernel.py:8
#>         ring_in ^= 1;
#>         ring_in_phase = ring_in == 0 ? ring_in_phase ^ 1 : ring_in_phase;
#>       }
#>     }
#>   } else {
#>     __align__(16) float c[32];  // kernel.py:5
#>     int ring_out = 0;
#>     int ring_out_phase = 0;
#>     int out_in = 0;
#>     int out_out = 0;
#>     #pragma unroll
#>     for (int v = 0; v < 2; ++v) {  // kernel.py:6
#>       #pragma unroll
#>       for (int v_1 = 0; v_1 < 8; ++v_1) {
#>         #pragma unroll
#>         for (int v_2 = 0; v_2 < 2; ++v_2) {
#>           c[v * 2 + v_1 * 4 + v_2] = 0.0f;
#>         }
#>       }
#>     }
#>     #pragma unroll 1
#>     for (int k = 0; k < 4; ++k) {  // kernel.py:7
#>       const int s = ring_out;
#>       tl_bar_wait(bars + s * 8, ring_out_phase);
#>       tl_mma_fence(tl_slice<32>(c));  // kernel.py:9
#>       #pragma unroll
#>       for (int k_1 = 0; k_1 < 4; ++k_1) {
#>         tl_wgmma_m64n64k16_f16_ss<1, 0, 0>(c,
#>             operands + (tl_u64)(0x4000004000010000 + (tl_i64)(s * 512 + k_1 * 2)),
#>             operands + (tl_u64)(0x4000004000010000 + (tl_i64)(s * 512 + k_1 * 2)));
#>       }
#>       tl_mma_commit();
#>       tl_mma_wait<0>(tl_slice<32>(c));
#>       tl_bar_arrive_group(bars + (2 + s) * 8);
#>       ring_out ^= 1;
#>       ring_out_phase = ring_out == 0 ? ring_out_phase ^ 1 : ring_out_phase;
#>     }
#>     #pragma unroll
#>     for (int c_1 = 0; c_1 < 2; ++c_1) {  // kernel.py:10
#>       const int w = out_in;
#>       if (tid == 128) {
#>         tl_bulk_wait_read<1>();
#>       }
#>       tl_part_sync(1, 128);
#>       #pragma unroll
#>       for (int v = 0; v < 2; ++v) {
#>         #pragma unroll
#>         for (int v_1 = 0; v_1 < 4; ++v_1) {
#>           tl_st(C_out + w * 2048 + tid / 32 * 512 + v * 256 - 2048
#>               + ((tid / 4 % 8 * 32 + tid % 4 * 2 + v_1 * 8) ^ (((tid / 4 % 8) & 7) * 4)),
#>               tl_ld<tl_f32x2>(c + v * 2 + (c_1 * 4 + v_1) * 4));
#>         }
#>       }
#>       tl_fence_proxy();
#>       tl_part_sync(1, 128);
#>       out_in ^= 1;
#>       const int e = out_out;
#>       if (tid == 128) {
#>         tl_tma_store(C_map, smem + 16384 + e * 8192, c_1 * 32, 0);
#>         tl_bulk_commit();
#>       }
#>       out_out ^= 1;
#>     }
#>     if (tid == 128) {
#>       tl_bulk_wait<0>();
#>     }
#>   }
#> }
