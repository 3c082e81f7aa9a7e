// SPDX-License-Identifier: Apache-2.0
// Row softmax by 256 threads, one row of 1024 a block: shuffles inside a warp of any width, a
// workspace in shared memory across warps.
#include "tl_device.h"

extern "C" __global__ void __launch_bounds__(256, 1)
softmax(const float* __restrict__ X, float* __restrict__ Y) {
  extern __shared__ __align__(4096) unsigned char smem[];
  float* const largest = (float*)smem;
  float* const total = (float*)(smem + 64);
  const int tid = (int)threadIdx.x, lane = tid % TL_WARP_SIZE, warp = tid / TL_WARP_SIZE;
  const int warps = 256 / TL_WARP_SIZE;
  const int at = (int)blockIdx.x * 1024 + tid * 4;
  tl_f32x4 x = tl_ld<tl_f32x4>(X + at);
  float m = tl_max(tl_max(x[0], x[1]), tl_max(x[2], x[3]));
#pragma unroll
  for (int o = TL_WARP_SIZE / 2; o > 0; o /= 2) m = tl_max(m, tl_shfl_xor(m, o));
  if (lane == 0) largest[warp] = m;
  tl_block_sync();
  for (int w = 0; w < warps; ++w) m = tl_max(m, largest[w]);
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = tl_exp2((x[i] - m) * 1.44269504f);
  float s = (x[0] + x[1]) + (x[2] + x[3]);
#pragma unroll
  for (int o = TL_WARP_SIZE / 2; o > 0; o /= 2) s = s + tl_shfl_xor(s, o);
  if (lane == 0) total[warp] = s;
  tl_block_sync();
  s = 0.0f;
  for (int w = 0; w < warps; ++w) s = s + total[w];
  tl_st(Y + at, x / tl_splat<tl_f32x4>(s));
}
