// SPDX-License-Identifier: Apache-2.0
// C = A @ B, f16 in, f32 sums, for mp_31: 128 x 128 a block, ring of 3 tiles loaded by the tensor
// engine, one producer warp squad after two consumer squads. N = 256 columns, K = `steps` * 64.
#include "tl_device.h"

extern "C" __global__ void __launch_bounds__(384, 1)
gemm(const tl_grid_constant tl_map A_map, const tl_grid_constant tl_map B_map,
     tl_f16* __restrict__ C, int steps) {
  tl_bar_reserve(6);  // 1..3: the copy of tile s is complete; 4..6: tile s has been read
  extern __shared__ __align__(4096) unsigned char smem[];
  const int tid = (int)threadIdx.x, row = (int)blockIdx.y * 128, column = (int)blockIdx.x * 128;
  if (tid == 0) {
    for (int s = 0; s < 3; ++s) {
      tl_bar_init(1 + s, 1);
      tl_bar_init(4 + s, 8);
    }
  }
  tl_block_sync_full();
  int slot = 0, phase = 0;
  if (tid >= 256) {
    if (tid == 256) {
      for (int k = 0; k < steps; ++k) {
        tl_bar_wait(4 + slot, phase ^ 1);
        tl_bar_expect(1 + slot, 32768);
        tl_tma_load<16>(smem + slot * 16384, A_map, tl_i2(k * 64, row), tl_i2(64, 128), 1 + slot);
        tl_tma_load<32>(smem + 49152 + slot * 16384, B_map, tl_i2(column, k * 64), tl_i2(64, 64),
                        1 + slot);
        tl_tma_load<32>(smem + 57344 + slot * 16384, B_map, tl_i2(column + 64, k * 64),
                        tl_i2(64, 64), 1 + slot);
        tl_bar_arrive(1 + slot);
        if (++slot == 3) slot = 0, phase ^= 1;
      }
    }
  } else {
    float sum[64];
    const int squad = tid / 128, t = tid % 128;
#pragma unroll
    for (int i = 0; i < 64; ++i) sum[i] = 0.0f;
    for (int k = 0; k < steps; ++k) {
      tl_bar_wait(1 + slot, phase);
      // Start, row pitch 128 bytes (code 5 at bit 18), granule code at bit 21.
      tl_sqmma<tl_f16, 128, 64, 64, 0, 1>(sum, (1 << 21 | 5 << 18) + slot * 16384,
                                          (2 << 21 | 5 << 18) + 49152 + slot * 16384 + squad * 8192);
      tl_mma_wait<0>();
      tl_bar_arrive(4 + slot);
      if (++slot == 3) slot = 0, phase ^= 1;
    }
    tl_f16* const out = C + (row + t / 8) * 256 + column + squad * 64 + t % 8;
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int j = 0; j < 8; ++j) out[i * 16 * 256 + j * 8] = tl_f16(sum[i * 8 + j]);
  }
}

// A tile of a larger matrix through shared memory by the tensor engine alone; edges are clipped.
extern "C" __global__ void __launch_bounds__(128, 1)
copy_tile(const tl_grid_constant tl_map X_map, const tl_grid_constant tl_map Y_map) {
  tl_bar_reserve(1);
  extern __shared__ __align__(4096) unsigned char smem[];
  const int x = (int)blockIdx.x * 32, y = (int)blockIdx.y * 8;
  if ((int)threadIdx.x == 0) tl_bar_init(1, 1);
  tl_block_sync_full();
  if ((int)threadIdx.x == 0) {
    tl_bar_arrive_expect(1, 1024);
    tl_tma_load<0>(smem, X_map, tl_i2(x, y), tl_i2(32, 8), 1);
  }
  tl_bar_wait(1, 0);
  ((float*)smem)[(int)threadIdx.x] = ((float*)smem)[(int)threadIdx.x] * 2.0f;
  tl_block_sync();
  if ((int)threadIdx.x == 0) {
    tl_tma_store<0>(Y_map, smem, tl_i2(x, y), tl_i2(32, 8));
    tl_bulk_commit();
    tl_bulk_wait_read();
  }
}
