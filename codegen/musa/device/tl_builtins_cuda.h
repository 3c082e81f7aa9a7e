// SPDX-License-Identifier: Apache-2.0
// Lowest layer for NVIDIA GPUs, for nvcc and NVRTC (-fmad=false: contraction is the compiler's
// business, not theirs). Barriers are shared-memory addresses here, matrix instructions those of NVIDIA.
#pragma once

#define TL_FN __device__ __forceinline__
#define TL_AT
#define TL_AT0
#define TL_HERE
#define TLB_CHECK_ACCESS(p, align)
#ifdef __CUDA_ARCH__
#define TL_ARCH __CUDA_ARCH__
#else
#define TL_ARCH 900  // the host pass parses kernels of any chip
#endif
#define TL_WARP_SIZE 32
#define TL_FULL_MASK 0xffffffffu
#define tl_grid_constant __grid_constant__
#ifdef __CUDACC_RTC__
#define __builtin_memcpy memcpy  // NVRTC has the function alone
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
/// -1 for a negative number, else 0, and no compiler makes a max of it.
#define TLB_SIGN
TL_FN int tlb_sign(int x) {
  int sign;
  asm("shr.s32 %0, %1, 31;" : "=r"(sign) : "r"(x));
  return sign;
}
/// A 0 that no compiler knows to be one.
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
/// Integers through a float that is rounded to odd, so that the next rounding is the only one.
#define TLB_INT_THROUGH_FLOAT
TL_FN float tlb_odd_of(int x) {
  const float y = __int2float_rz(x);
  return __int_as_float(__float_as_int(y) | (__float2int_rz(y) != x));
}
TL_FN float tlb_odd_of(unsigned x) {
  const float y = __uint2float_rz(x);
  return __int_as_float(__float_as_int(y) | (__float2uint_rz(y) != x));
}
/// Exactly what float gives, rounded once.
#define TLB_F16_ARITHMETIC(name)                                                                \
  TL_FN unsigned short tlb_f16_##name(unsigned short a, unsigned short b) {                     \
    unsigned short c;                                                                           \
    asm(#name ".rn.f16 %0, %1, %2;" : "=h"(c) : "h"(a), "h"(b));                                \
    return c;                                                                                   \
  }
TLB_F16_ARITHMETIC(add)
TLB_F16_ARITHMETIC(sub)
TLB_F16_ARITHMETIC(mul)
#define tlb_f16_add tlb_f16_add
#if TL_ARCH >= 800
/// The larger and the smaller of two, the other one where one is NaN, +0 above -0.
#define TLB_HALF_CHOICE(type, name)                                                                 \
  TL_FN unsigned short tlb_##type##_##name(unsigned short a, unsigned short b) {                    \
    unsigned short c;                                                                               \
    asm(#name "." #type " %0, %1, %2;" : "=h"(c) : "h"(a), "h"(b));                                 \
    return c;                                                                                       \
  }
TLB_HALF_CHOICE(f16, max)
TLB_HALF_CHOICE(f16, min)
TLB_HALF_CHOICE(bf16, max)
TLB_HALF_CHOICE(bf16, min)
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
/// As two numbers of f16, which has them all.
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
/// One instruction of the chip, within 2 ulp; what is below the least normal number becomes 0.
TL_FN float tlb_fast_exp2f(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#define tlb_fast_exp2f tlb_fast_exp2f
TL_FN float tlb_f16_to_f32(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}

// ---- atomic sums; of neighbours in global memory, each by itself
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
TL_FN void tlb_block_sync_full() { __syncthreads(); }
TL_FN void tlb_warp_sync() { __syncwarp(); }
#if TL_WARP_SIZE == 32
TL_FN unsigned tlb_ballot(bool p) { return __ballot_sync(TL_FULL_MASK, p); }
#endif
TL_FN void tlb_threadfence() { __threadfence(); }
TL_FN unsigned tlb_shfl(unsigned x, int lane) { return __shfl_sync(TL_FULL_MASK, x, lane); }
TL_FN unsigned tlb_shfl_xor(unsigned x, int mask) { return __shfl_xor_sync(TL_FULL_MASK, x, mask); }
TL_FN unsigned tlb_shfl_up(unsigned x, int d) { return __shfl_up_sync(TL_FULL_MASK, x, d); }
TL_FN unsigned tlb_shfl_down(unsigned x, int d) { return __shfl_down_sync(TL_FULL_MASK, x, d); }
TL_FN bool tlb_any(bool p) { return __any_sync(TL_FULL_MASK, p); }
TL_FN bool tlb_all(bool p) { return __all_sync(TL_FULL_MASK, p); }

TL_FN unsigned tlb_address(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }
/// Where not `inside` nothing is read, and the bytes become zeros.
#define TLB_CP_ASYNC_FILLS
TL_FN void tlb_cp_async(void* shared, const void* global, int bytes, bool inside) {
  const unsigned at = tlb_address(shared);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(global),
                 "r"(inside ? 16 : 0)
                 : "memory");
  else if (bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(global),
                 "r"(inside ? 8 : 0)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(global),
                 "r"(inside ? 4 : 0)
                 : "memory");
}
TL_FN void tlb_cp_async(void* shared, const void* global, int bytes) {
  const unsigned at = tlb_address(shared);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(global) : "memory");
  else if (bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at), "l"(global) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(global) : "memory");
}
TL_FN void tlb_cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
#define TLB_EXACT_WAITS 1
template <int n>
TL_FN void tlb_cp_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
}
TL_FN void tlb_named_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
TL_FN void tlb_named_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

#if TL_ARCH >= 900
// ---- mbarriers, by address in shared memory; arrivals count threads or elected lanes
TL_FN void tlb_bar_init(int bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
TL_FN void tlb_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
TL_FN void tlb_fence_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
TL_FN void tlb_bar_arrive(int bar) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(bar) : "memory");
}
TL_FN void tlb_bar_expect(int bar, int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(bytes)
               : "memory");
}
TL_FN void tlb_bar_arrive_expect(int bar, int bytes) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" ::"r"(bar),
               "r"(bytes)
               : "memory");
}
TL_FN void tlb_bar_wait(int bar, int parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"(bar),
      "r"(parity)
      : "memory");
}
TL_FN void tlb_bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int n>
TL_FN void tlb_bulk_wait_read_group() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory");
}
template <int n>
TL_FN void tlb_bulk_wait_group() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory");
}
/// One box of 1 to 5 dimensions.
#define TLB_TMA(rank, params, load_at, store_at, ...)                                             \
  TL_FN void tlb_tma_load(unsigned shared, const tl_map* map, int bar, params) {                  \
    asm volatile("cp.async.bulk.tensor." #rank                                                    \
                 "d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {" load_at     \
                 "}], [%2];" ::"r"(shared), "l"(map), "r"(bar), __VA_ARGS__ : "memory");          \
  }                                                                                               \
  TL_FN void tlb_tma_store(const tl_map* map, unsigned shared, params) {                          \
    asm volatile("cp.async.bulk.tensor." #rank                                                    \
                 "d.global.shared::cta.bulk_group [%0, {" store_at "}], [%1];" ::"l"(map),        \
                 "r"(shared), __VA_ARGS__ : "memory");                                            \
  }
#define TLB_PARAMS int x
TLB_TMA(1, TLB_PARAMS, "%3", "%2", "r"(x))
#undef TLB_PARAMS
#define TLB_PARAMS int x, int y
TLB_TMA(2, TLB_PARAMS, "%3, %4", "%2, %3", "r"(x), "r"(y))
#undef TLB_PARAMS
#define TLB_PARAMS int x, int y, int z
TLB_TMA(3, TLB_PARAMS, "%3, %4, %5", "%2, %3, %4", "r"(x), "r"(y), "r"(z))
#undef TLB_PARAMS
#define TLB_PARAMS int x, int y, int z, int u
TLB_TMA(4, TLB_PARAMS, "%3, %4, %5, %6", "%2, %3, %4, %5", "r"(x), "r"(y), "r"(z), "r"(u))
#undef TLB_PARAMS
#define TLB_PARAMS int x, int y, int z, int u, int v
TLB_TMA(5, TLB_PARAMS, "%3, %4, %5, %6, %7", "%2, %3, %4, %5, %6", "r"(x), "r"(y), "r"(z), "r"(u), "r"(v))
#undef TLB_PARAMS
#undef TLB_TMA

TL_FN void tlb_pin(float& x) { asm volatile("" : "+f"(x)::"memory"); }
TL_FN void tlb_pin(unsigned& x) { asm volatile("" : "+r"(x)::"memory"); }
TL_FN void tlb_wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
TL_FN void tlb_wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int left>
TL_FN void tlb_wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}
template <int registers>
TL_FN void tlb_reg_grow() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
TL_FN void tlb_reg_shrink() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
#endif

// ---- matrix instructions of sm_80
TL_FN void tlb_ldmatrix_x4(unsigned* r, const void* shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(tlb_address(shared)));
}
TL_FN void tlb_ldmatrix_x4_trans(unsigned* r, const void* shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(tlb_address(shared)));
}
#if TL_ARCH >= 900
TL_FN void tlb_stmatrix_x4(void* shared, const unsigned* r) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   tlb_address(shared)),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}
TL_FN void tlb_stmatrix_x4_trans(void* shared, const unsigned* r) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   tlb_address(shared)),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}
#endif
/// C, of the type that `c` constrains, has four registers, A four and B two of 32 bits.
#define TLB_MMA(shape, types, name, Sum, c_of)                                                    \
  TL_FN void tlb_mma_##name##_##shape(Sum* c, const unsigned* a, const unsigned* b) {             \
    asm volatile("mma.sync.aligned." #shape ".row.col." types                                     \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"               \
                 : "+" c_of(c[0]), "+" c_of(c[1]), "+" c_of(c[2]), "+" c_of(c[3])                 \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));             \
  }
TLB_MMA(m16n8k16, "f32.f16.f16.f32", f16, float, "f")
TLB_MMA(m16n8k16, "f32.bf16.bf16.f32", bf16, float, "f")
TLB_MMA(m16n8k8, "f32.tf32.tf32.f32", tf32, float, "f")
TLB_MMA(m16n8k32, "s32.s8.s8.s32", s8, int, "r")
TLB_MMA(m16n8k32, "s32.u8.u8.s32", u8, int, "r")
#undef TLB_MMA
TL_FN void tlb_mma_f64_m8n8k4(double* c, double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
}
