// SPDX-License-Identifier: Apache-2.0
// The builtins of mcc on the CPU: thin calls into the emulator (codegen/musa/emu), which runs one
// fibre per GPU thread. Then the real lowest layer on top. Compiled with g++; no libc headers.
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
#define TLB_GLOBAL_OUT(p) (p)
// Every operation that may block passes the line it is called from: equal lines are one call site.
#define TL_AT , int tl_line = __builtin_LINE()
#define TL_AT0 int tl_line = __builtin_LINE()
#define TL_HERE tl_emu->line = tl_line;
#define TLB_CHECK_ACCESS(p, align) \
  if ((unsigned long long)(p) % (align)) tl_emu->fault(tl_emu, "misaligned vector access");
#define grid_constant unused
typedef tl_emu_map MUtensorDescriptor;

/// The whole shared memory of a block: `extern __shared__ unsigned char smem[]` finds this.
#if __MUSA_ARCH__ >= 310
#define TLE_ARENA (192 * 1024)
#else
#define TLE_ARENA (64 * 1024)
#endif
__align__(4096) unsigned char smem[TLE_ARENA];
/// What a kernel calls it that has a smem of its own.
extern unsigned char tl_smem[TLE_ARENA] __attribute__((alias("smem")));

template <int N>
struct tle_ivec {
  int v[N];
};
typedef tle_ivec<2> tlb_ivec2;
typedef tle_ivec<3> tlb_ivec3;
typedef tle_ivec<4> tlb_ivec4;
typedef tle_ivec<5> tlb_ivec5;

// ---- numbers: IEEE binary16 by the compiler's own soft-float support
struct __half {
  unsigned short bits;
};
inline __half __float2half_rn(float x) {
  _Float16 h = (_Float16)x;
  __half r;
  __builtin_memcpy(&r, &h, 2);
  return r;
}
inline float __half2float(__half x) {
  _Float16 h;
  __builtin_memcpy(&h, &x, 2);
  return (float)h;
}
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
inline float __expf(float x) { return tle::expf(x); }
inline float __exp10f(float x) { return tle::exp10f(x); }
inline float __logf(float x) { return tle::logf(x); }
inline float __log2f(float x) { return tle::log2f(x); }
inline float __log10f(float x) { return tle::log10f(x); }
inline float __sinf(float x) { return tle::sinf(x); }
inline float __cosf(float x) { return tle::cosf(x); }
inline float __tanf(float x) { return tle::tanf(x); }
inline float __powf(float x, float y) { return tle::powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }

// ---- rounding modes: those of the CPU, around one operation whose operands are hidden from g++
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

// ---- synchronisation
inline void __syncthreads() { tl_emu->block_sync(tl_emu, 1); }
inline void __syncthreads_lm() { tl_emu->block_sync(tl_emu, 0); }
inline void __syncwarp(unsigned) { tl_emu->warp(tl_emu, TL_EMU_WARP_SYNC, 0, 0); }
inline void __threadfence() {}
inline unsigned __shfl_sync(unsigned, unsigned x, int lane, int) {
  return tl_emu->warp(tl_emu, TL_EMU_SHFL, x, lane);
}
inline unsigned __shfl_xor_sync(unsigned, unsigned x, int mask, int) {
  return tl_emu->warp(tl_emu, TL_EMU_SHFL_XOR, x, mask);
}
inline unsigned __shfl_up_sync(unsigned, unsigned x, unsigned delta, int) {
  return tl_emu->warp(tl_emu, TL_EMU_SHFL_UP, x, (int)delta);
}
inline unsigned __shfl_down_sync(unsigned, unsigned x, unsigned delta, int) {
  return tl_emu->warp(tl_emu, TL_EMU_SHFL_DOWN, x, (int)delta);
}
inline int __any_sync(unsigned, int p) { return (int)tl_emu->warp(tl_emu, TL_EMU_ANY, !!p, 0); }
inline int __all_sync(unsigned, int p) { return (int)tl_emu->warp(tl_emu, TL_EMU_ALL, !!p, 0); }
inline unsigned __ballot_sync(unsigned, int p) {
  return tl_emu->warp(tl_emu, TL_EMU_BALLOT, !!p, 0);
}

// ---- atomics: blocks run one after another and fibres switch at calls only
#define TLE_ATOMIC(name, expression)          \
  template <class T>                          \
  inline T atomic##name(T* p, T x) {          \
    T old = *p;                               \
    *p = expression;                          \
    return old;                               \
  }
TLE_ATOMIC(Add, (T)(old + x)) TLE_ATOMIC(Max, old < x ? x : old) TLE_ATOMIC(Min, x < old ? x : old)
TLE_ATOMIC(Exch, x) TLE_ATOMIC(And, (T)(old & x)) TLE_ATOMIC(Or, (T)(old | x))
TLE_ATOMIC(Xor, (T)(old ^ x))
template <class T>
inline T atomicCAS(T* p, T expected, T x) {
  T old = *p;
  if (old == expected) *p = x;
  return old;
}

// ---- asynchronous copies and barriers
inline void __musa_memcpy_g2s(void* dst, const void* src, int bytes, int) {
  tl_emu->g2s(tl_emu, dst, src, bytes);
}
inline void __musa_memcpy_g2s_wait() { tl_emu->wait(tl_emu, TL_EMU_G2S); }
#if __MUSA_ARCH__ >= 310
inline void __musa_async_bar_record(int n) { tl_emu->bar(tl_emu, TL_EMU_RECORD, n, 0); }
inline void __musa_async_init_arrival(int id, int warps, int phase) {
  tl_emu->bar(tl_emu, TL_EMU_INIT, id, warps * 2 + phase);
}
inline unsigned __musa_async_arrive(int id) { return tl_emu->warp(tl_emu, TL_EMU_ARRIVE, 0, id); }
inline void __musa_async_wait(int id, int parity) { tl_emu->bar(tl_emu, TL_EMU_WAIT, id, parity); }
inline void __musa_async_add_trans(int id, int n) { tl_emu->bar(tl_emu, TL_EMU_EXPECT, id, n); }

inline tle_ivec<1> tle_vec(int x) { return {{x}}; }
template <int N>
inline tle_ivec<N> tle_vec(tle_ivec<N> x) {
  return x;
}
template <class V>
inline void tle_tile(int bar, void* shared, const unsigned long long& desc, V dim, V crd, int sg,
                     int ss, int sl) {
  tl_emu_tile t = {shared, (const tl_emu_map*)&desc, (int)(sizeof(V) / 4), bar, {}, {}, sg, ss, sl};
  for (int i = 0; i < t.rank; ++i) t.dim[i] = dim.v[i], t.crd[i] = crd.v[i];
  tl_emu->tile(tl_emu, &t);
}
#define TLE_TME(n)                                                                              \
  template <class V>                                                                            \
  inline void __musa_tme_ld_tile_##n##d(int bar, void* shared, const unsigned long long& desc,  \
                                        V dim, V crd, int sg, int ss, int sl, int, int, int,    \
                                        int) {                                                  \
    tle_tile(bar, shared, desc, tle_vec(dim), tle_vec(crd), sg, ss, sl);                        \
  }                                                                                             \
  template <class V>                                                                            \
  inline void __musa_tme_st_##n##d(void* shared, const unsigned long long& desc, V dim, V crd,  \
                                   int sg, int ss, int sl, int, int, int) {                     \
    tle_tile(0, shared, desc, tle_vec(dim), tle_vec(crd), sg, ss, sl);                          \
  }
TLE_TME(1) TLE_TME(2) TLE_TME(3) TLE_TME(4) TLE_TME(5)
inline void __musa_tme_store_commit() { tl_emu->commit(tl_emu, TL_EMU_STORE); }
inline void __musa_tme_store_read_wait() { tl_emu->wait(tl_emu, TL_EMU_STORE); }
inline void __musa_tme_idf_l2() { tl_emu->wait(tl_emu, TL_EMU_STORE); }

#define TLE_SQMMA(M, N)                                                                       \
  inline void __musa_sqmma_m##M##n##N##_mma(int* d, const int* a, const int* b, const int* c, \
                                            int ta, int bk, int na, int nb, int scale, int sat, \
                                            int k, int type) {                                \
    tl_emu_sqmma s = {M, N, k, type, (unsigned)*a, (unsigned)*b, ta, bk,                      \
                      na, nb, scale, sat, d, c};                                              \
    tl_emu->sqmma(tl_emu, &s);                                                                \
  }
TLE_SQMMA(128, 128) TLE_SQMMA(128, 64) TLE_SQMMA(128, 32) TLE_SQMMA(64, 128) TLE_SQMMA(64, 64)
TLE_SQMMA(64, 32) TLE_SQMMA(64, 16) TLE_SQMMA(32, 128) TLE_SQMMA(32, 64) TLE_SQMMA(32, 32)
TLE_SQMMA(16, 64)
inline void __musa_sqmma_wait() { tl_emu->wait(tl_emu, TL_EMU_MMA); }
#define TLE_WMMA(M, N, K)                                                                       \
  inline void __musa_wmma_m##M##n##N##k##K##_mma(int* d, const int* a, const int* b,            \
                                                 const int* c, int na, int nb, int nc, int sat, \
                                                 int fmt, int layout, int type) {               \
    tl_emu_mma s = {M, N, K, type, na | nb | nc | sat, fmt, layout, d, a, b, c};                \
    tl_emu->mma(tl_emu, &s);                                                                    \
  }
TLE_WMMA(16, 16, 16) TLE_WMMA(16, 16, 32)
#else
#define TLE_MMA(name, M, N, K, type)                                                           \
  inline void __musa_##name##_m##M##n##N##k##K##_mma(int* d, const int* a, const int* b,       \
                                                     const int* c, int na, int nb, int nc,     \
                                                     int sat, int fmt, int layout) {           \
    tl_emu_mma s = {M, N, K, type, na | nb | nc | sat, fmt, layout, d, a, b, c};               \
    tl_emu->mma(tl_emu, &s);                                                                   \
  }
TLE_MMA(fmma, 32, 32, 16, 2) TLE_MMA(bfmma, 32, 32, 16, 3) TLE_MMA(tfmma, 32, 32, 8, 4)
TLE_MMA(imma, 32, 32, 32, 1)
#endif  // __MUSA_ARCH__ >= 310

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
