// SPDX-License-Identifier: Apache-2.0
// Features of NVIDIA targets only: groups with counts, ldmatrix, mma; on sm_90a barriers and TMA.
#include "tl_device.h"

extern "C" __global__ void __launch_bounds__(32, 1)
mma_tile(const tl_f16* __restrict__ A, const tl_f16* __restrict__ B, float* __restrict__ C) {
  extern __shared__ __align__(1024) unsigned char smem[];
  const int tid = (int)threadIdx.x;
  tl_cp_async<16>(smem + tid * 16, A + tid * 8);
  tl_cp_async<16>(smem + 512 + tid * 16, B + tid * 8, tid < 32);
  tl_cp_commit();
  tl_cp_wait<0>();
  tl_block_sync();
  __align__(4) tl_f16 a[8], b[8];
  tl_ldmatrix_x4<false>(a, smem + tid % 16 * 32 + tid / 16 * 16);
  tl_ldmatrix_x4<true>(b, smem + 512 + tid * 16);
  float c[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  tl_mma_m16n8k16(c, a, b);
  for (int i = 0; i < 4; ++i) C[tid * 4 + i] = tl_shfl_xor(c[i], 1);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void __launch_bounds__(128, 1)
load_tile(const tl_grid_constant tl_map X, float* __restrict__ Y) {
  extern __shared__ __align__(1024) unsigned char smem[];
#if defined(__CUDA_ARCH__)
  const int tid = (int)threadIdx.x, bar = (int)tlb_address(smem + 4096);
  if (tid == 0) tl_bar_init(bar, 1);
  tl_init_fence();
  tl_block_sync();
  if (tid == 0) {
    tl_bar_arrive_expect(bar, 4096);
    tl_tma_load(smem, X, 0, 0, bar);
  }
  tl_bar_wait(bar, 0);
  for (int i = 0; i < 8; ++i) Y[i * 128 + tid] = ((float*)smem)[i * 128 + tid];
#endif
}
#endif
