// SPDX-License-Identifier: Apache-2.0
// Type checking without mcc: declares what mcc provides, in the types of its documentation, and
// then includes the real lowest layer. For clang -x cuda -nocudainc -nocudalib --cuda-device-only.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;

struct alignas(64) MUtensorDescriptor {
  char bytes[128];
};
struct __half {
  unsigned short bits;
};
extern "C" int printf(const char*, ...);

#define TLS_FN static __device__ inline
#define TLS_DECLARE extern "C" __device__
TLS_DECLARE __half __float2half_rn(float);
TLS_DECLARE float __half2float(__half);
TLS_DECLARE unsigned short __half_as_ushort(__half);
TLS_DECLARE __half __ushort_as_half(unsigned short);
TLS_DECLARE float __expf(float);
TLS_DECLARE float __exp10f(float);
TLS_DECLARE float __logf(float);
TLS_DECLARE float __log2f(float);
TLS_DECLARE float __log10f(float);
TLS_DECLARE float __sinf(float);
TLS_DECLARE float __cosf(float);
TLS_DECLARE float __tanf(float);
TLS_DECLARE float __powf(float, float);
TLS_DECLARE float __fdividef(float, float);
TLS_DECLARE int __popc(unsigned);
TLS_DECLARE int __popcll(unsigned long long);
TLS_DECLARE int __clz(int);
TLS_DECLARE int __clzll(long long);
TLS_DECLARE unsigned __float_as_uint(float);
TLS_DECLARE float __uint_as_float(unsigned);

#define TLS_IEEE(mode)                                                  \
  TLS_DECLARE float __fadd_##mode(float, float);                        \
  TLS_DECLARE float __fmul_##mode(float, float);                        \
  TLS_DECLARE float __fdiv_##mode(float, float);                        \
  TLS_DECLARE float __fmaf_##mode(float, float, float);                 \
  TLS_DECLARE float __fsqrt_##mode(float);                              \
  TLS_DECLARE double __dadd_##mode(double, double);                     \
  TLS_DECLARE double __dmul_##mode(double, double);                     \
  TLS_DECLARE double __ddiv_##mode(double, double);                     \
  TLS_DECLARE double __fma_##mode(double, double, double);              \
  TLS_DECLARE double __dsqrt_##mode(double);
TLS_IEEE(rn) TLS_IEEE(rz) TLS_IEEE(ru) TLS_IEEE(rd)
TLS_DECLARE float __frsqrt_rn(float);

// The C library's functions on the device, float and double.
#define TLS_MATH1(fn)                  \
  TLS_DECLARE float fn##f(float);      \
  TLS_DECLARE double fn(double);
#define TLS_MATH2(fn)                      \
  TLS_DECLARE float fn##f(float, float);   \
  TLS_DECLARE double fn(double, double);
TLS_MATH1(exp) TLS_MATH1(exp2) TLS_MATH1(exp10) TLS_MATH1(expm1) TLS_MATH1(log) TLS_MATH1(log2)
TLS_MATH1(log10) TLS_MATH1(log1p) TLS_MATH1(sqrt) TLS_MATH1(rsqrt) TLS_MATH1(sin) TLS_MATH1(cos)
TLS_MATH1(tan) TLS_MATH1(asin) TLS_MATH1(acos) TLS_MATH1(atan) TLS_MATH1(sinh) TLS_MATH1(cosh)
TLS_MATH1(tanh) TLS_MATH1(asinh) TLS_MATH1(acosh) TLS_MATH1(atanh) TLS_MATH1(erf) TLS_MATH1(floor)
TLS_MATH1(ceil) TLS_MATH1(trunc) TLS_MATH1(round) TLS_MATH1(rint) TLS_MATH1(fabs)
TLS_MATH2(pow) TLS_MATH2(fmod) TLS_MATH2(atan2) TLS_MATH2(copysign) TLS_MATH2(hypot)
TLS_MATH2(nextafter) TLS_MATH2(fmax) TLS_MATH2(fmin) TLS_MATH2(ldexp)
TLS_DECLARE float fmaf(float, float, float);
TLS_DECLARE double fma(double, double, double);

#define TLS_ATOMIC(f)                                            \
  TLS_FN int atomic##f(int* p, int) { return *p; }                  \
  TLS_FN unsigned atomic##f(unsigned* p, unsigned) { return *p; }   \
  TLS_FN unsigned long long atomic##f(unsigned long long* p, unsigned long long) { return *p; }
TLS_ATOMIC(Add) TLS_ATOMIC(Max) TLS_ATOMIC(Min) TLS_ATOMIC(Exch) TLS_ATOMIC(And) TLS_ATOMIC(Or)
TLS_ATOMIC(Xor)
TLS_FN float atomicAdd(float* p, float) { return *p; }
TLS_FN int atomicCAS(int* p, int, int) { return *p; }
TLS_FN unsigned atomicCAS(unsigned* p, unsigned, unsigned) { return *p; }
TLS_FN unsigned long long atomicCAS(unsigned long long* p, unsigned long long, unsigned long long) {
  return *p;
}

#define TL_MCC_GLOBAL __attribute__((address_space(1)))
#define TL_MCC_SHARED __attribute__((address_space(3)))
#define TL_MCC(result, name, parameters, ...) TLS_DECLARE result name parameters;
#include "tl_builtins_musa.h"
