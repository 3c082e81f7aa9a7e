// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, barriers, the tensor engine, matrix instructions.
#pragma once

/// Copies N bytes (4, 8, 16) from global to shared memory; visible after tl_cp_wait.
template <int N>
TL_FN void tl_cp_async(void* shared, const void* global TL_AT) {
  static_assert(N == 4 || N == 8 || N == 16, "4, 8 or 16 bytes");
  TL_HERE
  tlb_cp_async(shared, global, N);
}
/// The same where `inside`; zeros elsewhere.
template <int N>
TL_FN void tl_cp_async(void* shared, const void* global, bool inside TL_AT) {
  TL_HERE
#ifdef TLB_CP_ASYNC_FILLS
  tlb_cp_async(shared, global, N, inside);
#else
  if (inside) {
    tl_cp_async<N>(shared, global);
  } else {
#pragma unroll
    for (int i = 0; i < N / 4; ++i) ((unsigned*)shared)[i] = 0;
  }
#endif
}
TL_FN void tl_cp_commit() { tlb_cp_commit(); }

#ifndef TL_MUSA
#include "tl_async_cuda.h"
#else
/// Returns when at most n groups of this thread are pending (MUSA: none are).
template <int n>
TL_FN void tl_cp_wait(TL_AT0) {
  TL_HERE
  tlb_cp_wait(n);
}
#endif

#ifdef TL_MUSA
// ---- matrix instructions of one warp, C += A * B on fragments of it
#define TL_MMA(shape, Sum, T, ...)                                       \
  TL_FN void tl_mma_##shape(Sum* c, const T* a, const T* b TL_AT) {      \
    TL_HERE                                                              \
    tlb_##__VA_ARGS__;                                                   \
  }
#define TL_REGISTERS (int*)c, (const int*)a, (const int*)b
#if TL_ARCH >= 310
TL_MMA(m16n16k16, float, tl_f16, wmma_m16n16k16(TL_REGISTERS, 2))
TL_MMA(m16n16k16, float, tl_bf16, wmma_m16n16k16(TL_REGISTERS, 3))
TL_MMA(m16n16k16, float, float, wmma_m16n16k16(TL_REGISTERS, 4))
TL_MMA(m16n16k32, int, tl_i8, wmma_m16n16k32(TL_REGISTERS, 1))
TL_MMA(m16n16k32, int, tl_u8, wmma_m16n16k32(TL_REGISTERS, 0))
#else
TL_MMA(m32n32k16, float, tl_f16, mma_f16_m32n32k16(TL_REGISTERS))
TL_MMA(m32n32k16, float, tl_bf16, mma_bf16_m32n32k16(TL_REGISTERS))
TL_MMA(m32n32k8, float, float, mma_tf32_m32n32k8(TL_REGISTERS))
TL_MMA(m32n32k32, int, tl_i8, mma_s8_m32n32k32(TL_REGISTERS))
#endif
#undef TL_REGISTERS
#undef TL_MMA
#endif

#if defined(TL_MUSA) && TL_ARCH >= 310
// ---- barriers: ids 1..63, arrivals in warps, (phase, pending arrivals, pending bytes)
TL_FN void tl_bar_reserve(int n TL_AT) { TL_HERE tlb_bar_reserve(n); }
TL_FN void tl_bar_init(int id, int warps TL_AT) { TL_HERE tlb_bar_init(id, warps); }
TL_FN void tl_bar_arrive(int id TL_AT) { TL_HERE tlb_bar_arrive(id); }
TL_FN void tl_bar_expect(int id, int bytes TL_AT) { TL_HERE tlb_bar_expect(id, bytes); }
TL_FN void tl_bar_arrive_expect(int id, int bytes TL_AT) {
  TL_HERE
  tlb_bar_expect(id, bytes);  // first the bytes: the other order may complete the phase early
  tlb_bar_arrive(id);
}
/// Blocks while the barrier's phase is `parity`; a fresh barrier lets parity 1 pass.
TL_FN void tl_bar_wait(int id, int parity TL_AT) { TL_HERE tlb_bar_wait(id, parity); }
/// Arrives, and waits until that phase is over.
TL_FN void tl_bar_sync(int id TL_AT) {
  TL_HERE
  tlb_bar_wait(id, tlb_bar_phase(id));
}
/// Meets the other warps of a part of the block at barrier `id`; `phase` starts at 0.
TL_FN void tl_part_sync(int id, int& phase TL_AT) {
  TL_HERE
  tlb_bar_arrive(id);
  tlb_bar_wait(id, phase);
  phase ^= 1;
}

// ---- tensor engine: coordinates and box innermost first, in elements; by one lane
TL_FN int tl_i1(int a) { return a; }
TL_FN tlb_ivec2 tl_i2(int a, int b) { return tlb_ivec2{a, b}; }
TL_FN tlb_ivec3 tl_i3(int a, int b, int c) { return tlb_ivec3{a, b, c}; }
TL_FN tlb_ivec4 tl_i4(int a, int b, int c, int d) { return tlb_ivec4{a, b, c, d}; }
TL_FN tlb_ivec5 tl_i5(int a, int b, int c, int d, int e) { return tlb_ivec5{a, b, c, d, e}; }
template <int granule>
TL_FN constexpr int tl_granule_code() {
  static_assert(granule == 0 || granule == 16 || granule == 32 || granule == 64, "swizzle granule");
  return granule / 16 - granule / 64;
}
/// Loads a box to `shared`, swizzled by `granule` bytes on its absolute address; elements outside
/// the tensor become 0 and count. Completes bytes at barrier `bar`.
template <int granule, class V>
TL_FN void tl_tma_load(void* shared, const tl_map& map, V at, V box, int bar TL_AT) {
  TL_HERE
  tlb_tme_load<tl_granule_code<granule>()>(shared, map, at, box, bar);
}
/// Stores a box; elements outside the tensor are dropped. Joins the open group.
template <int granule, class V>
TL_FN void tl_tma_store(const tl_map& map, void* shared, V at, V box TL_AT) {
  TL_HERE
  tlb_tme_store<tl_granule_code<granule>()>(map, shared, at, box);
}
TL_FN void tl_bulk_commit(TL_AT0) { TL_HERE tlb_bulk_commit(); }
/// The sources of all stores of this thread may be rewritten.
TL_FN void tl_bulk_wait_read(TL_AT0) { TL_HERE tlb_bulk_wait_read(); }
/// All stores of this thread are in global memory.
TL_FN void tl_bulk_wait(TL_AT0) { TL_HERE tlb_bulk_wait(); }

// ---- SQMMA. Type codes and legal k of each operand type.
template <class T>
struct tl_sqmma_type;
#define TL_SQMMA_TYPE(T, acc, code, k0, k1, k2)             \
  template <>                                               \
  struct tl_sqmma_type<T> {                                 \
    typedef acc sum;                                        \
    static constexpr int type = code;                       \
    static constexpr bool legal(int k) { return k == k0 || k == k1 || k == k2; } \
  };
TL_SQMMA_TYPE(tl_u8, int, 0, 128, 64, 32)
TL_SQMMA_TYPE(tl_i8, int, 1, 128, 64, 32)
TL_SQMMA_TYPE(tl_f16, float, 2, 64, 32, 16)
TL_SQMMA_TYPE(tl_bf16, float, 3, 64, 32, 16)
TL_SQMMA_TYPE(float, float, 4, 32, 16, 8)
TL_SQMMA_TYPE(tl_e4m3, float, 5, 128, 64, 32)
TL_SQMMA_TYPE(tl_e5m2, float, 6, 128, 64, 32)
#undef TL_SQMMA_TYPE
/// C += A * B by the 4 warps of a squad. C: the thread's M*N/128 accumulators; a, b: 32-bit operand
/// descriptors; tA, tB: 1 where the operand is M- or N-major. Complete after tl_mma_wait.
template <class T, int M, int N, int K, int tA, int tB>
TL_FN void tl_sqmma(typename tl_sqmma_type<T>::sum* C, int a, int b TL_AT) {
  static_assert(tl_sqmma_type<T>::legal(K), "this k does not exist for the operand type");
  TL_HERE
  tlb_sqmma<M, N>::template run<tA, 1 - tB, K, tl_sqmma_type<T>::type>((int*)C, a, b);
}
TL_FN void tl_mma_commit() {}
/// Returns when at most n groups are pending (MUSA: none are).
template <int n>
TL_FN void tl_mma_wait(TL_AT0) {
  TL_HERE
  tlb_mma_wait_all();
}
#endif
