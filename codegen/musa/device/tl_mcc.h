// SPDX-License-Identifier: Apache-2.0
// The builtins of mcc that kernels use, as a table. The stub declares them, in the types of mcc's
// documentation, and the emulation defines them by calls into the emulator.
//
// TL_MCC(result, name, parameters, body in the emulation)
//   TL_MCC_SHARED, TL_MCC_GLOBAL   address spaces of pointers; empty in the emulation
#pragma once

#ifdef TL_EMU
template <int N>
struct tle_ivec {
  int v[N];
};
typedef tle_ivec<2> tlb_ivec2;
typedef tle_ivec<3> tlb_ivec3;
typedef tle_ivec<4> tlb_ivec4;
typedef tle_ivec<5> tlb_ivec5;
#else
typedef int tlb_ivec2 __attribute__((vector_size(8)));
typedef int tlb_ivec3 __attribute__((vector_size(12)));
typedef int tlb_ivec4 __attribute__((vector_size(16)));
typedef int tlb_ivec5 __attribute__((vector_size(20)));
#endif
typedef int tlb_ivec1;

/// The shapes of SQMMA: only these exist.
#define TL_SQMMA_SHAPES(F)                                                                    \
  F(128, 128) F(128, 64) F(128, 32) F(64, 128) F(64, 64) F(64, 32) F(64, 16) F(32, 128) F(32, 64) \
  F(32, 32) F(16, 64)

#ifdef TL_MCC
#ifdef TL_EMU
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
#endif

// ---- synchronization within a block and a warp
TL_MCC(void, __syncthreads, (), tl_emu->block_sync(tl_emu, 1);)
TL_MCC(void, __syncthreads_lm, (), tl_emu->block_sync(tl_emu, 0);)
TL_MCC(void, __syncwarp, (unsigned), tl_emu->warp(tl_emu, TL_EMU_WARP_SYNC, 0, 0);)
TL_MCC(void, __threadfence, (), )
#define TL_MCC_SHFL(name, operand, op)                                                \
  TL_MCC(unsigned, name, (unsigned, unsigned x, operand lane, int),                   \
         return tl_emu->warp(tl_emu, op, x, (int)lane);)
TL_MCC_SHFL(__shfl_sync, int, TL_EMU_SHFL)
TL_MCC_SHFL(__shfl_xor_sync, int, TL_EMU_SHFL_XOR)
TL_MCC_SHFL(__shfl_up_sync, unsigned, TL_EMU_SHFL_UP)
TL_MCC_SHFL(__shfl_down_sync, unsigned, TL_EMU_SHFL_DOWN)
#define TL_MCC_VOTE(result, name, op) \
  TL_MCC(result, name, (unsigned, int p), return (result)tl_emu->warp(tl_emu, op, !!p, 0);)
TL_MCC_VOTE(int, __any_sync, TL_EMU_ANY)
TL_MCC_VOTE(int, __all_sync, TL_EMU_ALL)
TL_MCC_VOTE(unsigned, __ballot_sync, TL_EMU_BALLOT)

// ---- asynchronous copies by threads
TL_MCC(void, __musa_memcpy_g2s,
       (TL_MCC_SHARED void* to, TL_MCC_GLOBAL const void* from, int bytes, int prefetch),
       tl_emu->g2s(tl_emu, to, from, bytes);)
TL_MCC(void, __musa_memcpy_g2s_wait, (), tl_emu->wait(tl_emu, TL_EMU_G2S);)

#if __MUSA_ARCH__ >= 310
// ---- asynchronous barriers
TL_MCC(void, __musa_async_bar_record, (int n), tl_emu->bar(tl_emu, TL_EMU_RECORD, n, 0);)
TL_MCC(void, __musa_async_init_arrival, (int id, int warps, int phase),
       tl_emu->bar(tl_emu, TL_EMU_INIT, id, warps * 2 + phase);)
TL_MCC(unsigned, __musa_async_arrive, (int id), return tl_emu->warp(tl_emu, TL_EMU_ARRIVE, 0, id);)
TL_MCC(void, __musa_async_wait, (int id, int parity),
       tl_emu->bar(tl_emu, TL_EMU_WAIT, id, parity);)
TL_MCC(void, __musa_async_add_trans, (int id, int bytes),
       tl_emu->bar(tl_emu, TL_EMU_EXPECT, id, bytes);)

// ---- copy engine
#define TL_MCC_TME(n)                                                                           \
  TL_MCC(void, __musa_tme_ld_tile_##n##d,                                                       \
         (int bar, TL_MCC_SHARED void* smem, const unsigned long long& desc, tlb_ivec##n dim,   \
          tlb_ivec##n crd, int sg, int ss, int sl, int prefetch, int inner, int outer, int),    \
         tle_tile(bar, smem, desc, tle_vec(dim), tle_vec(crd), sg, ss, sl);)                    \
  TL_MCC(void, __musa_tme_st_##n##d,                                                            \
         (TL_MCC_SHARED void* smem, const unsigned long long& desc, tlb_ivec##n dim,            \
          tlb_ivec##n crd, int sg, int ss, int sl, int inner, int outer, int),                  \
         tle_tile(0, smem, desc, tle_vec(dim), tle_vec(crd), sg, ss, sl);)
TL_MCC_TME(1) TL_MCC_TME(2) TL_MCC_TME(3) TL_MCC_TME(4) TL_MCC_TME(5)
TL_MCC(void, __musa_tme_store_commit, (), tl_emu->commit(tl_emu, TL_EMU_STORE);)
TL_MCC(void, __musa_tme_store_read_wait, (), tl_emu->wait(tl_emu, TL_EMU_STORE);)
TL_MCC(void, __musa_tme_idf_l2, (), tl_emu->wait(tl_emu, TL_EMU_STORE);)

// ---- matrix instructions
#define TL_MCC_SQMMA(M, N)                                                                      \
  TL_MCC(void, __musa_sqmma_m##M##n##N##_mma,                                                   \
         (int* d, const int* a, const int* b, const int* c, int tnsp_a, int b_k_major,          \
          int neg_a, int neg_b, int scale_d, int sat, int k, int type),                         \
         tl_emu_sqmma s = {M, N, k, type, (unsigned)*a, (unsigned)*b, tnsp_a, b_k_major,        \
                           neg_a, neg_b, scale_d, sat, d, c};                                   \
         tl_emu->sqmma(tl_emu, &s);)
TL_SQMMA_SHAPES(TL_MCC_SQMMA)
TL_MCC(void, __musa_sqmma_wait, (), tl_emu->wait(tl_emu, TL_EMU_MMA);)
#define TL_MCC_WMMA(M, N, K)                                                                    \
  TL_MCC(void, __musa_wmma_m##M##n##N##k##K##_mma,                                              \
         (int* d, const int* a, const int* b, const int* c, int neg_a, int neg_b, int neg_c,    \
          int sat, int fmt, int layout, int type),                                              \
         tl_emu_mma s = {M, N, K, type, neg_a | neg_b | neg_c | sat, fmt, layout, d, a, b, c};  \
         tl_emu->mma(tl_emu, &s);)
TL_MCC_WMMA(16, 16, 16) TL_MCC_WMMA(16, 16, 32)
#else
#define TL_MCC_MMA(name, M, N, K, type)                                                         \
  TL_MCC(void, __musa_##name##_m##M##n##N##k##K##_mma,                                          \
         (int* d, const int* a, const int* b, const int* c, int neg_a, int neg_b, int neg_c,    \
          int sat, int fmt, int layout),                                                        \
         tl_emu_mma s = {M, N, K, type, neg_a | neg_b | neg_c | sat, fmt, layout, d, a, b, c};  \
         tl_emu->mma(tl_emu, &s);)
TL_MCC_MMA(fmma, 32, 32, 16, 2) TL_MCC_MMA(bfmma, 32, 32, 16, 3) TL_MCC_MMA(tfmma, 32, 32, 8, 4)
TL_MCC_MMA(imma, 32, 32, 32, 1)
#endif  // __MUSA_ARCH__ >= 310
#endif  // TL_MCC
