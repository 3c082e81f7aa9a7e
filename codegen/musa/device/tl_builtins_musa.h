// SPDX-License-Identifier: Apache-2.0
// Lowest layer for Moore Threads GPUs: the neutral names tlb_* on the builtins of mcc.
// The stub and the emulation include this file as well, so its operand orders are checked and run.
#pragma once

#ifndef TL_FN
#define TL_FN __device__ __forceinline__
typedef int tlb_ivec2 __attribute__((vector_size(8)));
typedef int tlb_ivec3 __attribute__((vector_size(12)));
typedef int tlb_ivec4 __attribute__((vector_size(16)));
typedef int tlb_ivec5 __attribute__((vector_size(20)));
#define TLB_SHARED(p) ((__attribute__((address_space(3))) void*)(p))
#define TLB_GLOBAL(p) ((const __attribute__((address_space(1))) void*)(p))
#define TLB_GLOBAL_OUT(p) ((__attribute__((address_space(1))) void*)(p))
#endif
#ifndef TL_AT  // only the emulation wants to know the line of a call
#define TL_AT
#define TL_AT0
#define TL_HERE
#define TLB_CHECK_ACCESS(p, align)
#endif

#define TL_ARCH __MUSA_ARCH__
#define TL_MUSA 1
#if TL_ARCH >= 310
#define TL_WARP_SIZE 32
#else
#define TL_WARP_SIZE 128
#endif
#define TL_FULL_MASK 0xffffffffu

#define tl_grid_constant __attribute__((grid_constant))
typedef MUtensorDescriptor tl_map;

// ---- numbers
TL_FN unsigned short tlb_f16_from_f32(float x) { return __half_as_ushort(__float2half_rn(x)); }
TL_FN float tlb_f16_to_f32(unsigned short bits) { return __half2float(__ushort_as_half(bits)); }

// ---- synchronisation inside a warp and a block
TL_FN void tlb_block_sync() { __syncthreads_lm(); }
TL_FN void tlb_block_sync_full() { __syncthreads(); }
TL_FN void tlb_warp_sync() { __syncwarp(TL_FULL_MASK); }
TL_FN unsigned tlb_shfl(unsigned x, int lane) {
  return __shfl_sync(TL_FULL_MASK, x, lane, TL_WARP_SIZE);
}
TL_FN unsigned tlb_shfl_xor(unsigned x, int mask) {
  return __shfl_xor_sync(TL_FULL_MASK, x, mask, TL_WARP_SIZE);
}
TL_FN unsigned tlb_shfl_up(unsigned x, int delta) {
  return __shfl_up_sync(TL_FULL_MASK, x, delta, TL_WARP_SIZE);
}
TL_FN unsigned tlb_shfl_down(unsigned x, int delta) {
  return __shfl_down_sync(TL_FULL_MASK, x, delta, TL_WARP_SIZE);
}
TL_FN bool tlb_any(bool p) { return __any_sync(TL_FULL_MASK, p); }
TL_FN bool tlb_all(bool p) { return __all_sync(TL_FULL_MASK, p); }
#if TL_WARP_SIZE == 32
TL_FN unsigned tlb_ballot(bool p) { return __ballot_sync(TL_FULL_MASK, p); }
#endif
TL_FN void tlb_threadfence() { __threadfence(); }

// ---- asynchronous copies by threads. The hardware knows one wait, for all of them.
TL_FN void tlb_cp_async(void* shared, const void* global, int bytes) {
  __musa_memcpy_g2s(TLB_SHARED(shared), TLB_GLOBAL(global), bytes, 0);
}
TL_FN void tlb_cp_commit() {}
TL_FN void tlb_cp_wait(int) { __musa_memcpy_g2s_wait(); }

#if TL_ARCH >= 310
// ---- asynchronous barriers: small integers 1..63; arrivals count warps
TL_FN void tlb_bar_reserve(int n) { __musa_async_bar_record(n); }
TL_FN void tlb_bar_init(int id, int warps) { __musa_async_init_arrival(id, warps, 0); }
TL_FN void tlb_bar_arrive(int id) { (void)__musa_async_arrive(id); }
TL_FN int tlb_bar_phase(int id) { return (int)__musa_async_arrive(id); }  // that it arrived in
TL_FN void tlb_bar_expect(int id, int bytes) { __musa_async_add_trans(id, bytes); }
TL_FN void tlb_bar_wait(int id, int parity) { __musa_async_wait(id, parity); }

// ---- tensor engine. Coordinates and box innermost first; granule code 0 none, 1 16, 2 32, 3 64.
// The stride and the line of the swizzle are always 256 bytes (codes 3 and 1).
#define TLB_TME(n)                                                                             \
  template <int G>                                                                             \
  TL_FN void tlb_tme_load(void* smem, const tl_map& map, tlb_ivec##n crd, tlb_ivec##n box,     \
                          int bar) {                                                           \
    __musa_tme_ld_tile_##n##d(bar, TLB_SHARED(smem), (const unsigned long long&)map, box, crd, \
                              G, 3, 1, 0, 0, 0, 0);                                            \
  }                                                                                            \
  template <int G>                                                                             \
  TL_FN void tlb_tme_store(const tl_map& map, void* smem, tlb_ivec##n crd, tlb_ivec##n box) {  \
    __musa_tme_st_##n##d(TLB_SHARED(smem), (const unsigned long long&)map, box, crd, G, 3, 1,  \
                         0, 0, 1);                                                             \
  }
TLB_TME(2) TLB_TME(3) TLB_TME(4) TLB_TME(5)
#undef TLB_TME
template <int G>
TL_FN void tlb_tme_load(void* smem, const tl_map& map, int crd, int box, int bar) {
  __musa_tme_ld_tile_1d(bar, TLB_SHARED(smem), (const unsigned long long&)map, box, crd, G, 3, 1,
                        0, 0, 0, 0);
}
template <int G>
TL_FN void tlb_tme_store(const tl_map& map, void* smem, int crd, int box) {
  __musa_tme_st_1d(TLB_SHARED(smem), (const unsigned long long&)map, box, crd, G, 3, 1, 0, 0, 1);
}
TL_FN void tlb_bulk_commit() { __musa_tme_store_commit(); }
TL_FN void tlb_bulk_wait_read() { __musa_tme_store_read_wait(); }
TL_FN void tlb_bulk_wait() { __musa_tme_idf_l2(); }

// ---- SQMMA: 4 warps, both operands in shared memory, D += A * B. Only these shapes exist.
// The sense of the scaleD operand is disputed between sources; 0 (accumulate) is what every known
// GEMM passes, so clearing is done in registers, never by the instruction.
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
TLB_SQMMA(128, 128) TLB_SQMMA(128, 64) TLB_SQMMA(128, 32) TLB_SQMMA(64, 128) TLB_SQMMA(64, 64)
TLB_SQMMA(64, 32) TLB_SQMMA(64, 16) TLB_SQMMA(32, 128) TLB_SQMMA(32, 64) TLB_SQMMA(32, 32)
TLB_SQMMA(16, 64)
#undef TLB_SQMMA
TL_FN void tlb_mma_wait_all() { __musa_sqmma_wait(); }

// ---- matrix instructions of one warp on registers, D += A * B, both operands K-major (layout 1).
// Types are coded as SQMMA's; 8-bit integers say 1 for signed ones.
TL_FN void tlb_wmma_m16n16k16(int* d, const int* a, const int* b, int type) {
  __musa_wmma_m16n16k16_mma(d, a, b, d, 0, 0, 0, 0, 0, 1, type);
}
TL_FN void tlb_wmma_m16n16k32(int* d, const int* a, const int* b, int type) {
  __musa_wmma_m16n16k32_mma(d, a, b, d, 0, 0, 0, 0, type == 1, 1, type);
}
#else
// ---- matrix instructions of one warp of 128 lanes on registers, D += A * B, both operands K-major
// (layout 1); `fmt` tells f16 from what else has its instruction.
TL_FN void tlb_mma_f16_m32n32k16(int* d, const int* a, const int* b) {
  __musa_fmma_m32n32k16_mma(d, a, b, d, 0, 0, 0, 0, 1, 1);
}
TL_FN void tlb_mma_bf16_m32n32k16(int* d, const int* a, const int* b) {
  __musa_bfmma_m32n32k16_mma(d, a, b, d, 0, 0, 0, 0, 0, 1);
}
TL_FN void tlb_mma_tf32_m32n32k8(int* d, const int* a, const int* b) {
  __musa_tfmma_m32n32k8_mma(d, a, b, d, 0, 0, 0, 0, 0, 1);
}
TL_FN void tlb_mma_s8_m32n32k32(int* d, const int* a, const int* b) {
  __musa_imma_m32n32k32_mma(d, a, b, d, 0, 0, 0, 0, 0, 1);
}
#endif  // TL_ARCH >= 310
