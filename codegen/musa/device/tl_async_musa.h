// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, barriers, the copy engine and matrix instructions on mcc's builtins. The
// stub and the emulation include this file too, so its operand orders are checked and executed.
#pragma once

/// Copies N bytes (4, 8, 16) from global to shared memory; visible after tl_cp_wait.
template <int N>
TL_FN void tl_cp_async(void* shared, const void* global TL_AT) {
  static_assert(N == 4 || N == 8 || N == 16, "4, 8 or 16 bytes");
  TL_HERE
  __musa_memcpy_g2s(TLB_SHARED(shared), TLB_GLOBAL(global), N, 0);
}
/// The same if `inside`; otherwise writes zeros.
template <int N>
TL_FN void tl_cp_async(void* shared, const void* global, bool inside TL_AT) {
  TL_HERE
  if (inside) {
    tl_cp_async<N>(shared, global);
  } else {
#pragma unroll
    for (int i = 0; i < N / 4; ++i) ((unsigned*)shared)[i] = 0;
  }
}
TL_FN void tl_cp_commit() {}
/// Waits until at most n groups of this thread are pending. The hardware has only a wait for all.
template <int n>
TL_FN void tl_cp_wait(TL_AT0) {
  TL_HERE
  __musa_memcpy_g2s_wait();
}

// ---- matrix instructions of one warp on registers, C += A * B, both operands K-major (layout 1)
#define TL_MMA(shape, Sum, T, name, ...)                                                   \
  TL_FN void tl_mma_##shape(Sum* c, const T* a, const T* b TL_AT) {                        \
    TL_HERE                                                                                \
    __musa_##name##_##shape##_mma((int*)c, (const int*)a, (const int*)b, (int*)c, 0, 0, 0, 0, \
                                  __VA_ARGS__);                                            \
  }
#if TL_ARCH >= 310
// `fmt`, layout, type: types are encoded as for SQMMA; for 8-bit integers fmt 1 means signed.
TL_MMA(m16n16k16, float, tl_f16, wmma, 0, 1, 2)
TL_MMA(m16n16k16, float, tl_bf16, wmma, 0, 1, 3)
TL_MMA(m16n16k16, float, float, wmma, 0, 1, 4)
TL_MMA(m16n16k32, int, tl_i8, wmma, 1, 1, 1)
TL_MMA(m16n16k32, int, tl_u8, wmma, 0, 1, 0)
#else
// Warps of 128 lanes. `fmt`, layout: `fmt` distinguishes f16 from other types of its instruction.
TL_MMA(m32n32k16, float, tl_f16, fmma, 1, 1)
TL_MMA(m32n32k16, float, tl_bf16, bfmma, 0, 1)
TL_MMA(m32n32k8, float, float, tfmma, 0, 1)
TL_MMA(m32n32k32, int, tl_i8, imma, 0, 1)
#endif
#undef TL_MMA

#if TL_ARCH >= 310
// ---- barriers: ids 1..63, arrivals in warps, (phase, pending arrivals, pending bytes)
TL_FN void tl_bar_reserve(int n TL_AT) { TL_HERE __musa_async_bar_record(n); }
TL_FN void tl_bar_init(int id, int warps TL_AT) { TL_HERE __musa_async_init_arrival(id, warps, 0); }
TL_FN void tl_bar_arrive(int id TL_AT) { TL_HERE (void)__musa_async_arrive(id); }
TL_FN void tl_bar_expect(int id, int bytes TL_AT) { TL_HERE __musa_async_add_trans(id, bytes); }
TL_FN void tl_bar_arrive_expect(int id, int bytes TL_AT) {
  TL_HERE
  __musa_async_add_trans(id, bytes);  // first: the other order may complete the phase early
  (void)__musa_async_arrive(id);
}
/// Blocks while the barrier's phase is `parity`; a new barrier lets parity 1 pass.
TL_FN void tl_bar_wait(int id, int parity TL_AT) { TL_HERE __musa_async_wait(id, parity); }
/// Arrives, and waits until that phase completes.
TL_FN void tl_bar_sync(int id TL_AT) {
  TL_HERE
  __musa_async_wait(id, (int)__musa_async_arrive(id));
}
/// Synchronizes the warps of a part of the block at barrier `id`; `phase` starts at 0.
TL_FN void tl_part_sync(int id, int& phase TL_AT) {
  TL_HERE
  (void)__musa_async_arrive(id);
  __musa_async_wait(id, phase);
  phase ^= 1;
}

// ---- copy engine: coordinates and box innermost first, in elements; by one lane
TL_FN int tl_i1(int a) { return a; }
TL_FN tlb_ivec2 tl_i2(int a, int b) { return tlb_ivec2{a, b}; }
TL_FN tlb_ivec3 tl_i3(int a, int b, int c) { return tlb_ivec3{a, b, c}; }
TL_FN tlb_ivec4 tl_i4(int a, int b, int c, int d) { return tlb_ivec4{a, b, c, d}; }
TL_FN tlb_ivec5 tl_i5(int a, int b, int c, int d, int e) { return tlb_ivec5{a, b, c, d, e}; }
/// 0 none, 1 16, 2 32, 3 64 bytes.
template <int granule>
TL_FN constexpr int tl_granule_code() {
  static_assert(granule == 0 || granule == 16 || granule == 32 || granule == 64, "swizzle granule");
  return granule / 16 - granule / 64;
}
/// tl_tma_load loads a box to `shared`, swizzled by `granule` bytes on its absolute address;
/// elements outside the tensor become 0 and count. Completes bytes at barrier `bar`. tl_tma_store
/// stores a box; elements outside the tensor are dropped. Joins the open group. The stride and the
/// line of the swizzle are always 256 bytes (codes 3 and 1). tl_tma_load_first gives the caches the
/// hint "once" (1; 0: none).
#define TL_TME_LOAD(name, n, hint)                                                                \
  template <int granule>                                                                          \
  TL_FN void name(void* shared, const tl_map& map, tlb_ivec##n at, tlb_ivec##n box, int bar TL_AT) { \
    TL_HERE                                                                                       \
    __musa_tme_ld_tile_##n##d(bar, TLB_SHARED(shared), (const unsigned long long&)map, box, at,   \
                              tl_granule_code<granule>(), 3, 1, 0, hint, hint, 0);                \
  }
#define TL_TME(n)                                                                                 \
  TL_TME_LOAD(tl_tma_load, n, 0)                                                                  \
  TL_TME_LOAD(tl_tma_load_first, n, 1)                                                            \
  template <int granule>                                                                          \
  TL_FN void tl_tma_store(const tl_map& map, void* shared, tlb_ivec##n at, tlb_ivec##n box TL_AT) { \
    TL_HERE                                                                                       \
    __musa_tme_st_##n##d(TLB_SHARED(shared), (const unsigned long long&)map, box, at,             \
                         tl_granule_code<granule>(), 3, 1, 0, 0, 1);                              \
  }
TL_TME(1) TL_TME(2) TL_TME(3) TL_TME(4) TL_TME(5)
#undef TL_TME
#undef TL_TME_LOAD
TL_FN void tl_bulk_commit(TL_AT0) { TL_HERE __musa_tme_store_commit(); }
/// The sources of all stores of this thread may be overwritten.
TL_FN void tl_bulk_wait_read(TL_AT0) { TL_HERE __musa_tme_store_read_wait(); }
/// All stores of this thread are in global memory.
TL_FN void tl_bulk_wait(TL_AT0) { TL_HERE __musa_tme_idf_l2(); }

// ---- SQMMA: 4 warps, both operands in shared memory. Type codes and legal k of each operand type.
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
// Sources disagree on the meaning of the scaleD operand; 0 (accumulate) is what every known GEMM
// passes, so clearing is done in registers, never by the instruction.
template <int M, int N>
struct tlb_sqmma;
#define TLB_SQMMA(M, N)                                                                       \
  template <>                                                                                 \
  struct tlb_sqmma<M, N> {                                                                    \
    template <int TA, int BK, int K, int TYPE>                                                \
    TL_FN static void run(int* d, int a, int b) {                                             \
      __musa_sqmma_m##M##n##N##_mma(d, &a, &b, d, TA, BK, 0, 0, 0, 0, K, TYPE);                 \
    }                                                                                         \
  };
TL_SQMMA_SHAPES(TLB_SQMMA)
#undef TLB_SQMMA
/// C += A * B by the 4 warps of a squad. C: the thread's M*N/128 accumulators; a, b: 32-bit operand
/// descriptors; tA, tB: 1 if the operand is M- or N-major. Complete after tl_mma_wait.
template <class T, int M, int N, int K, int tA, int tB>
TL_FN void tl_sqmma(typename tl_sqmma_type<T>::sum* C, int a, int b TL_AT) {
  static_assert(tl_sqmma_type<T>::legal(K), "this k does not exist for the operand type");
  TL_HERE
  tlb_sqmma<M, N>::template run<tA, 1 - tB, K, tl_sqmma_type<T>::type>((int*)C, a, b);
}
TL_FN void tl_mma_commit() {}
/// Waits until at most n groups are pending (MUSA: none).
template <int n>
TL_FN void tl_mma_wait(TL_AT0) {
  TL_HERE
  __musa_sqmma_wait();
}
#endif
