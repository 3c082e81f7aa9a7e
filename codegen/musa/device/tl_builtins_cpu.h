// SPDX-License-Identifier: Apache-2.0
// Lowest layer for the host's cores, for g++ and clang++. A block is one thread and blocks run
// sequentially: collective operations act immediately, and atomics are plain updates.
#pragma once

// g++ 13 vectorizes a loop with conditional loads to full vector loads, which read past the end of
// a tensor.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-if-convert")
#endif

#include <fenv.h>
#include <math.h>

#include "tl_bits_host.h"

#define TL_FN inline
#define TL_AT
#define TL_AT0
#define TL_HERE
#define TLB_CHECK_ACCESS(p, align)
#define TL_WARP_SIZE 1
#define __align__(n) __attribute__((aligned(n)))

/// The running block, which printed events name.
struct tlb_block {
  int x, y, z;
};
inline thread_local tlb_block tl_block = {0, 0, 0};

TL_FN unsigned short tlb_f16_from_f32(float x) { return tlb_f16_bits(x); }
TL_FN float tlb_f16_to_f32(unsigned short bits) { return tlb_f16_value(bits); }

// ---- functions missing in the C library
TL_FN float tlb_rsqrtf(float x) { return 1.0f / sqrtf(x); }
TL_FN double tlb_rsqrt(double x) { return 1.0 / sqrt(x); }
#define rsqrtf(x) tlb_rsqrtf(x)
#define rsqrt(x) tlb_rsqrt(x)
#define __frsqrt_rn(x) ((float)(1.0 / sqrt((double)(x))))

// ---- rounding modes: around one operation whose operands and result are opaque to the compiler
struct tlb_rounding {
  int before;
  explicit tlb_rounding(int mode) : before(fegetround()) { fesetround(mode); }
  ~tlb_rounding() { fesetround(before); }
};
#define TLB_ROUNDED(T, name, mode, params, operands, value) \
  TL_FN T name params {                                     \
    const tlb_rounding during(mode);                        \
    operands;                                               \
    volatile T result = value;                              \
    return result;                                          \
  }
#define TLB_ROUNDED2(T, name, mode, op) \
  TLB_ROUNDED(T, name, mode, (T x, T y), volatile T a = x; volatile T b = y, a op b)
#define TLB_IEEE(T, p, f, suffix, mode, code)                                                   \
  TLB_ROUNDED2(T, __##p##add_##mode, code, +)                                                   \
  TLB_ROUNDED2(T, __##p##mul_##mode, code, *)                                                   \
  TLB_ROUNDED2(T, __##p##div_##mode, code, /)                                                   \
  TLB_ROUNDED(T, __##p##sqrt_##mode, code, (T x), volatile T a = x, sqrt##suffix(a))            \
  TLB_ROUNDED(T, __##f##_##mode, code, (T x, T y, T z),                                         \
              volatile T a = x; volatile T b = y; volatile T c = z, fma##suffix(a, b, c))
#define TLB_IEEE_MODE(mode, code)            \
  TLB_IEEE(float, f, fmaf, f, mode, code)    \
  TLB_IEEE(double, d, fma, , mode, code)
TLB_IEEE_MODE(rn, FE_TONEAREST) TLB_IEEE_MODE(rz, FE_TOWARDZERO)
TLB_IEEE_MODE(ru, FE_UPWARD) TLB_IEEE_MODE(rd, FE_DOWNWARD)
#undef TLB_IEEE_MODE
#undef TLB_IEEE
#undef TLB_ROUNDED2
#undef TLB_ROUNDED

// ---- collective operations
TL_FN void tlb_block_sync() {}
TL_FN void __syncthreads() {}
TL_FN void __syncwarp(unsigned) {}
TL_FN void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
TL_FN unsigned __shfl_sync(unsigned, unsigned x, int, int) { return x; }
TL_FN unsigned __shfl_xor_sync(unsigned, unsigned x, int, int) { return x; }
TL_FN unsigned __shfl_up_sync(unsigned, unsigned x, int, int) { return x; }
TL_FN unsigned __shfl_down_sync(unsigned, unsigned x, int, int) { return x; }
TL_FN bool __any_sync(unsigned, bool p) { return p; }
TL_FN bool __all_sync(unsigned, bool p) { return p; }
