// SPDX-License-Identifier: Apache-2.0
// What mcc provides, on the CPU: its builtins (tl_mcc.h) call the emulator (tests/emulation),
// which runs one fibre per GPU thread. Compiled with g++; no libc headers.
#pragma once

#include "tl_bits_host.h"
#include "tl_emu_abi.h"

static tl_emu_machine* tl_emu = nullptr;

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define threadIdx (tl_emu->thread)
#define blockIdx (tl_emu->block)
#define blockDim (tl_emu->block_dim)
#define gridDim (tl_emu->grid_dim)

#define TL_FN inline
#define TLB_SHARED(p) (p)
#define TLB_GLOBAL(p) (p)
// Every operation that may block passes its line: equal lines are one call site.
#define TL_AT , int tl_line = __builtin_LINE()
#define TL_AT0 int tl_line = __builtin_LINE()
#define TL_HERE tl_emu->line = tl_line;
#define TLB_CHECK_ACCESS(p, align) \
  if ((unsigned long long)(p) % (align)) tl_emu->fault(tl_emu, "misaligned vector access");
#define grid_constant unused
typedef tl_emu_map MUtensorDescriptor;

/// The shared memory of a block: defines `extern __shared__ unsigned char smem[]`.
#if __MUSA_ARCH__ >= 310
#define TLE_ARENA (192 * 1024)
#else
#define TLE_ARENA (64 * 1024)
#endif
__align__(4096) unsigned char smem[TLE_ARENA];
/// Its name in a kernel that uses `smem` for something else.
extern unsigned char tl_smem[TLE_ARENA] __attribute__((alias("smem")));

struct __half {
  unsigned short bits;
};
inline __half __float2half_rn(float x) { return {tlb_f16_bits(x)}; }
inline float __half2float(__half x) { return tlb_f16_value(x.bits); }
inline unsigned short __half_as_ushort(__half h) { return h.bits; }
inline __half __ushort_as_half(unsigned short bits) { return {bits}; }

#define TLE_MATH1(fn)                                        \
  inline float fn##f(float x) { return __builtin_##fn##f(x); } \
  inline double fn(double x) { return __builtin_##fn(x); }
#define TLE_MATH2(fn)                                                           \
  inline float fn##f(float x, float y) { return __builtin_##fn##f(x, y); }       \
  inline double fn(double x, double y) { return __builtin_##fn(x, y); }
#define TLE_FUNCTION1(fn)                                                            \
  inline float fn##f(float x) { return tl_emu->function(TL_EMU_FN_##fn, x, 0); }     \
  inline double fn(double x) { return tl_emu->function_wide(TL_EMU_FN_##fn, x, 0); }
#define TLE_FUNCTION2(fn)                                                                       \
  inline float fn##f(float x, float y) { return tl_emu->function(TL_EMU_FN_##fn, x, y); }       \
  inline double fn(double x, double y) { return tl_emu->function_wide(TL_EMU_FN_##fn, x, y); }
namespace tle {
TL_EMU_FUNCTIONS1(TLE_FUNCTION1) TL_EMU_FUNCTIONS2(TLE_FUNCTION2)
TLE_MATH1(sqrt) TLE_MATH1(floor) TLE_MATH1(ceil) TLE_MATH1(trunc) TLE_MATH1(round) TLE_MATH1(rint)
TLE_MATH1(fabs) TLE_MATH2(fmod) TLE_MATH2(copysign) TLE_MATH2(nextafter) TLE_MATH2(fmax)
TLE_MATH2(fmin)
inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float ldexpf(float x, float e) { return __builtin_ldexpf(x, (int)e); }
inline double ldexp(double x, double e) { return __builtin_ldexp(x, (int)e); }
}  // namespace tle
using namespace tle;
inline float __powf(float x, float y) { return tle::powf(x, y); }

// ---- rounding modes: those of the CPU, around one operation whose operands are opaque to g++
struct tle_rounding {
  unsigned before;
  explicit tle_rounding(unsigned mode) : before(__builtin_ia32_stmxcsr()) {
    __builtin_ia32_ldmxcsr((before & ~0x6000u) | mode << 13);
  }
  ~tle_rounding() { __builtin_ia32_ldmxcsr(before); }
};
template <class T>
inline T tle_hide(T x) {
  asm volatile("" : "+x"(x));
  return x;
}
#define TLE_IEEE2(name, T, mode, code, op)                \
  inline T name##mode(T x, T y) {                         \
    tle_rounding r(code);                                 \
    return tle_hide(tle_hide(x) op tle_hide(y));          \
  }
#define TLE_IEEE_T(p, T, fn, sfn, mode, code)                                             \
  TLE_IEEE2(__##p##add_, T, mode, code, +)                                                \
  TLE_IEEE2(__##p##mul_, T, mode, code, *)                                                \
  TLE_IEEE2(__##p##div_, T, mode, code, /)                                                \
  inline T __##p##sqrt_##mode(T x) {                                                      \
    tle_rounding r(code);                                                                 \
    return tle_hide(sfn(tle_hide(x)));                                                    \
  }                                                                                       \
  inline T fn##mode(T x, T y, T z) {                                                      \
    tle_rounding r(code);                                                                 \
    return tle_hide(tle::fma_of(tle_hide(x), tle_hide(y), tle_hide(z)));                  \
  }
#define TLE_IEEE(mode, code)                                     \
  TLE_IEEE_T(f, float, __fmaf_, __builtin_sqrtf, mode, code)     \
  TLE_IEEE_T(d, double, __fma_, __builtin_sqrt, mode, code)
namespace tle {
inline float fma_of(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma_of(double a, double b, double c) { return __builtin_fma(a, b, c); }
}  // namespace tle
TLE_IEEE(rn, 0) TLE_IEEE(rd, 1) TLE_IEEE(ru, 2) TLE_IEEE(rz, 3)
inline float __frsqrt_rn(float x) { return tle::rsqrtf(x); }

#define TL_MCC_GLOBAL
#define TL_MCC_SHARED
#define TL_MCC(result, name, parameters, ...) \
  inline result name parameters { __VA_ARGS__ }
#include "tl_builtins_musa.h"

// ---- the table of a file's kernels: TL_EMU_MODULE(TL_EMU_KERNEL(a) TL_EMU_KERNEL(b))
template <int... I>
struct tle_indices {};
template <int N, int... I>
struct tle_make : tle_make<N - 1, N - 1, I...> {};
template <int... I>
struct tle_make<0, I...> {
  typedef tle_indices<I...> type;
};
template <class... P, int... I>
inline void tle_call(void (*kernel)(P...), void** args, tle_indices<I...>) {
  kernel(*(P*)args[I]...);
}
template <class... P>
inline void tle_call(void (*kernel)(P...), void** args) {
  tle_call(kernel, args, typename tle_make<sizeof...(P)>::type());
}
#define TL_EMU_KERNEL(k) {#k, [](void** args) { tle_call(k, args); }},
#define TL_EMU_MODULE(...)                                                                       \
  static const tl_emu_kernel tle_kernels[] = {__VA_ARGS__};                                      \
  extern "C" const tl_emu_module tl_emu_module_info;                                             \
  const tl_emu_module tl_emu_module_info = {                                                     \
      smem, TLE_ARENA, TL_WARP_SIZE, &tl_emu, sizeof tle_kernels / sizeof *tle_kernels, tle_kernels};
