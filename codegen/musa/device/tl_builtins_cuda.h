// SPDX-License-Identifier: Apache-2.0
// Lowest layer for NVIDIA GPUs, for nvcc and NVRTC (-fmad=false: tilelab contracts, not they).
#pragma once

#define TL_FN __device__ __forceinline__
#define TL_AT
#define TL_AT0
#define TL_HERE
#define TLB_CHECK_ACCESS(p, align)
#define TLB_WORDS  // vectors of bytes are copied as words
#define TLB_LOAD_FIRST(p) __ldcs(p)
#ifdef __CUDA_ARCH__
#define TL_ARCH __CUDA_ARCH__
#else
#define TL_ARCH 900  // the host pass parses kernels of any chip
#endif
#define TL_WARP_SIZE 32
#define tl_grid_constant __grid_constant__
#ifdef __CUDACC_RTC__
#define __builtin_memcpy memcpy  // NVRTC has only the function
#endif

/// A tensor map as cuTensorMapEncodeTiled fills it.
struct alignas(64) tl_map {
  unsigned long long opaque[16];
};

TL_FN unsigned short tlb_f16_from_f32(float x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
/// -1 for a negative number, otherwise 0; opaque, so that no compiler makes a max of it.
#define TLB_SIGN
TL_FN int tlb_sign(int x) {
  int sign;
  asm("shr.s32 %0, %1, 31;" : "=r"(sign) : "r"(x));
  return sign;
}
/// A 0 that is opaque to compilers.
TL_FN int tlb_zero() {
  int zero;
  asm("mov.b32 %0, 0;" : "=r"(zero));
  return zero;
}
#define TLB_F16_PAIRS
TL_FN unsigned tlb_f16_pair(float low, float high) {
  unsigned bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
/// Integers through a float that is rounded to odd, so that only the next rounding counts.
#define TLB_INT_THROUGH_FLOAT
TL_FN float tlb_odd_of(int x) {
  const float y = __int2float_rz(x);
  return __int_as_float(__float_as_int(y) | (__float2int_rz(y) != x));
}
TL_FN float tlb_odd_of(unsigned x) {
  const float y = __uint2float_rz(x);
  return __int_as_float(__float_as_int(y) | (__float2uint_rz(y) != x));
}
#define TLB_HALF2(type, name, instruction)                                                          \
  TL_FN unsigned short tlb_##type##_##name(unsigned short a, unsigned short b) {                    \
    unsigned short c;                                                                               \
    asm(instruction " %0, %1, %2;" : "=h"(c) : "h"(a), "h"(b));                                     \
    return c;                                                                                       \
  }
/// The result of float arithmetic, rounded once.
TLB_HALF2(f16, add, "add.rn.f16")
TLB_HALF2(f16, sub, "sub.rn.f16")
TLB_HALF2(f16, mul, "mul.rn.f16")
#define tlb_f16_add tlb_f16_add
#if TL_ARCH >= 800
/// a * b + c, rounded once.
#define TLB_HALF_FMA
#define TLB_HALF_FMA_OF(type)                                                                       \
  TL_FN unsigned short tlb_##type##_fma(unsigned short a, unsigned short b, unsigned short c) {     \
    unsigned short d;                                                                               \
    asm("fma.rn." #type " %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));                      \
    return d;                                                                                       \
  }
TLB_HALF_FMA_OF(f16)
TLB_HALF_FMA_OF(bf16)
#undef TLB_HALF_FMA_OF
/// a + b, a - b and a * b, rounded once; float arithmetic that is then rounded gives the same. In
/// bits: 1 is 0x3f80, -1 is 0xbf80, and -0, which added to a product leaves its sign, is 0x8000.
TL_FN unsigned short tlb_bf16_add(unsigned short a, unsigned short b) {
  return tlb_bf16_fma(a, 0x3f80, b);
}
TL_FN unsigned short tlb_bf16_sub(unsigned short a, unsigned short b) {
  return tlb_bf16_fma(b, 0xbf80, a);
}
TL_FN unsigned short tlb_bf16_mul(unsigned short a, unsigned short b) {
  return tlb_bf16_fma(a, b, 0x8000);
}
#define tlb_bf16_add tlb_bf16_add
/// The larger and the smaller of two; if one is NaN the other one; +0 above -0.
TLB_HALF2(f16, max, "max.f16")
TLB_HALF2(f16, min, "min.f16")
TLB_HALF2(bf16, max, "max.bf16")
TLB_HALF2(bf16, min, "min.bf16")
#define TLB_HALF_CHOICES
TL_FN unsigned short tlb_bf16_from_f32(float x) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
#define tlb_bf16_from_f32 tlb_bf16_from_f32
TL_FN unsigned tlb_bf16_pair(float low, float high) {
  unsigned bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
#endif
#if TL_ARCH >= 890
// ---- fp8 with E exponent bits, two in 16 bits
#define TLB_F8_PAIRS
template <int E>
TL_FN unsigned short tlb_f8_pair(float low, float high) {
  unsigned short bits;
  if (E == 4)
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(high), "f"(low));
  else
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(high), "f"(low));
  return bits;
}
/// As two f16 numbers, which represents all of them.
template <int E>
TL_FN unsigned tlb_f8_to_f16_pair(unsigned short bits) {
  unsigned pair;
  if (E == 4)
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(bits));
  else
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(bits));
  return pair;
}
#endif
/// One instruction of the GPU, within 2 ulp; results below the least normal number become 0.
TL_FN float tlb_fast_exp2f(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#define tlb_fast_exp2f tlb_fast_exp2f
TL_FN float tlb_fast_expf(float x) { return tlb_fast_exp2f(x * 1.44269504f); }
/// One instruction, within 1 ulp; numbers and results below the least normal number are 0.
TL_FN float tlb_fast_rcpf(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// Within 2 ulp over the whole range, without the branch of an exact division.
TL_FN float tlb_fast_divf(float x, float y) {
  float q;
  asm("div.full.f32 %0, %1, %2;" : "=f"(q) : "f"(x), "f"(y));
  return q;
}
TL_FN float tlb_f16_to_f32(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}

// ---- atomic sums; of adjacent elements in global memory, each separately
#define TLB_F64_ATOMIC_ADD
#if TL_ARCH >= 900
TL_FN void tlb_sum(float* p, float a, float b) {
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};"
               :: "l"(__cvta_generic_to_global(p)), "f"(a), "f"(b) : "memory");
}
TL_FN void tlb_sum(float* p, float a, float b, float c, float d) {
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
               :: "l"(__cvta_generic_to_global(p)), "f"(a), "f"(b), "f"(c), "f"(d) : "memory");
}
#define TLB_F32_SUMS
#endif
/// x: N elements of 16 bits, two in a word.
#define TLB_HALF_SUM(type)                                                                    \
  template <int N>                                                                            \
  TL_FN void tlb_##type##_sum(void* p, const unsigned* x) {                                   \
    const auto at = __cvta_generic_to_global(p);                                              \
    if constexpr (N == 4 && TL_ARCH >= 900)                                                   \
      asm volatile("red.global.add.noftz.v2." #type "x2 [%0], {%1, %2};"                      \
                   :: "l"(at), "r"(x[0]), "r"(x[1]) : "memory");                              \
    else if constexpr (N == 8 && TL_ARCH >= 900)                                              \
      asm volatile("red.global.add.noftz.v4." #type "x2 [%0], {%1, %2, %3, %4};"              \
                   :: "l"(at), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]) : "memory");        \
    else                                                                                      \
      for (int i = 0; i < N / 2; ++i)                                                         \
        asm volatile("red.global.add.noftz." #type "x2 [%0], %1;"                             \
                     :: "l"(at + 4 * i), "r"(x[i]) : "memory");                               \
  }
TLB_HALF_SUM(f16)
#define TLB_F16_SUMS
#if TL_ARCH >= 900
TLB_HALF_SUM(bf16)
#define TLB_BF16_SUMS
#endif

TL_FN void tlb_block_sync() { __syncthreads(); }
