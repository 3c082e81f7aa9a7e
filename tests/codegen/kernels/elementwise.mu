// SPDX-License-Identifier: Apache-2.0
// Manually written kernels for the tests of the device header: elementwise work, tails, types.
#include "tl_device.h"

extern "C" __global__ void __launch_bounds__(128, 1)
add_tail(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int N) {
  const int i = (int)blockIdx.x * 512 + (int)threadIdx.x * 4;
  if (i + 4 <= N) {
    tl_st(C + i, tl_ld<tl_f32x4>(A + i) + tl_ld<tl_f32x4>(B + i));
  } else {
#pragma unroll
    for (int v = 0; v < 4; ++v)
      if (i + v < N) C[i + v] = A[i + v] + B[i + v];
  }
}

extern "C" __global__ void __launch_bounds__(64, 1)
round_trip(const float* __restrict__ X, tl_f16* __restrict__ H, tl_bf16* __restrict__ B,
           tl_e4m3* __restrict__ E4, tl_e5m2* __restrict__ E5, int* __restrict__ I, int N) {
  const int i = (int)blockIdx.x * 64 + (int)threadIdx.x;
  if (i >= N) return;
  const float x = X[i];
  H[i] = tl_f16(x);
  B[i] = tl_bf16(x);
  E4[i] = tl_e4m3(x);
  E5[i] = tl_e5m2(x);
  I[i] = tl_cast<int>(x);
}

extern "C" __global__ void __launch_bounds__(64, 1)
narrow(const float* __restrict__ X, tl_e4m3fnuz* __restrict__ E4, tl_e5m2fnuz* __restrict__ E5,
       tl_e8m0* __restrict__ E8, tl_e2m1* __restrict__ E2, int N) {
  const int i = (int)blockIdx.x * 64 + (int)threadIdx.x;
  if (i >= N) return;
  E4[i] = tl_e4m3fnuz(X[i]);
  E5[i] = tl_e5m2fnuz(X[i]);
  E8[i] = tl_e8m0(X[i]);
  E2[i] = tl_e2m1(X[i]);
}

// Every code, as f32.
extern "C" __global__ void __launch_bounds__(256, 1)
widen(const tl_u8* __restrict__ C, float* __restrict__ E4, float* __restrict__ E5,
      float* __restrict__ E8, float* __restrict__ E2) {
  const int i = (int)threadIdx.x;
  E4[i] = (float)tl_bitcast<tl_e4m3fnuz>(C[i]);
  E5[i] = (float)tl_bitcast<tl_e5m2fnuz>(C[i]);
  E8[i] = (float)tl_bitcast<tl_e8m0>(C[i]);
  E2[i] = (float)tl_bitcast<tl_e2m1>(C[i]);
}

extern "C" __global__ void __launch_bounds__(32, 1)
integers(const int* __restrict__ A, const int* __restrict__ B, int* __restrict__ Q) {
  const int i = (int)threadIdx.x;
  Q[i] = tl_floordiv(A[i], B[i]);
  Q[32 + i] = tl_floormod(A[i], B[i]);
  Q[64 + i] = tl_shl(A[i], B[i]);
  Q[96 + i] = tl_shr(A[i], B[i]);
}

// Copies by threads through shared memory, backwards: what lane i wrote, lane 127 - i reads.
extern "C" __global__ void __launch_bounds__(128, 1)
reverse(const float* __restrict__ X, float* __restrict__ Y, int N) {
  extern __shared__ __align__(4096) unsigned char smem[];
  float* const S = (float*)smem;
  const int tid = (int)threadIdx.x, base = (int)blockIdx.x * 512;
  tl_cp_async<16>(S + tid * 4, X + base + tid * 4, base + tid * 4 + 4 <= N);
  tl_cp_commit();
  tl_cp_wait<0>();
  tl_block_sync();
#pragma unroll
  for (int v = 0; v < 4; ++v)
    if (base + tid * 4 + v < N) Y[base + tid * 4 + v] = S[511 - tid * 4 - v];
}

// Every thread adds to one counter and writes an event for each odd value it saw.
extern "C" __global__ void __launch_bounds__(64, 1)
count_odd(const int* __restrict__ X, int* __restrict__ total, float* __restrict__ largest,
          tl_events* events) {
  const int x = X[(int)blockIdx.x * 64 + (int)threadIdx.x];
  if (x % 2 != 0) tl_record(events, 7, 0, x, 0.5f);
  tl_atomic_add(total, x);
  tl_atomic_max(largest, (float)x);
}
