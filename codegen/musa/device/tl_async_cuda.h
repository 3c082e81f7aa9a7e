// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, barriers and matrix instructions in NVIDIA's senses: groups with exact
// counts, barriers by shared-memory address, boxes in the tensor map.
#pragma once

template <int n>
TL_FN void tl_cp_wait() {
  tlb_cp_wait_group<n>();
}
/// Meets the other threads of a part of the block at hardware barrier `id` (1..15).
TL_FN void tl_part_sync(int id, int threads) { tlb_named_sync(id, threads); }
/// Whole warps arrive there and go on.
TL_FN void tl_part_arrive(int id, int threads) { tlb_named_arrive(id, threads); }

#if TL_ARCH >= 900
TL_FN void tl_bar_init(int bar, int count) { tlb_bar_init(bar, count); }
TL_FN void tl_init_fence() { tlb_init_fence(); }
TL_FN void tl_fence_proxy() { tlb_fence_proxy(); }
/// Arrivals counted in lanes, in warps (all lanes come, one arrives), in groups of 4 warps whose
/// matrix operations have finished (its first thread arrives).
TL_FN void tl_bar_arrive_lane(int bar) { tlb_bar_arrive(bar); }
TL_FN void tl_bar_arrive_warp(int bar) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) tlb_bar_arrive(bar);
}
TL_FN void tl_bar_arrive_group(int bar) {
  if (threadIdx.x % 128 == 0) tlb_bar_arrive(bar);
}
TL_FN void tl_bar_expect(int bar, int bytes) { tlb_bar_expect(bar, bytes); }
TL_FN void tl_bar_arrive_expect(int bar, int bytes) { tlb_bar_arrive_expect(bar, bytes); }
TL_FN void tl_bar_wait(int bar, int parity) { tlb_bar_wait(bar, parity); }
/// One box; its extents and its swizzle are in the tensor map, coordinates innermost first.
template <class... C>
TL_FN void tl_tma_load(void* shared, const tl_map& map, int bar, C... at) {
  tlb_tma_load(tlb_address(shared), &map, bar, at...);
}
template <class... C>
TL_FN void tl_tma_store(const tl_map& map, const void* shared, C... at) {
  tlb_tma_store(&map, tlb_address(shared), at...);
}
TL_FN void tl_bulk_commit() { tlb_bulk_commit(); }
template <int n>
TL_FN void tl_bulk_wait_read() {
  tlb_bulk_wait_read_group<n>();
}
template <int n>
TL_FN void tl_bulk_wait() {
  tlb_bulk_wait_group<n>();
}

// ---- wgmma: operands in shared memory are descriptors that count from the arena
TL_FN int tl_shared_address(const void* shared) { return (int)tlb_address(shared); }
TL_FN tl_u64 tl_arena(const void* smem) { return tlb_address(smem) >> 4; }
template <int n, class T>
TL_FN T (&tl_slice(T* registers))[n] {
  return *(T(*)[n])registers;
}
/// Keeps the compiler from moving what uses these registers across this place.
template <class T, int n>
TL_FN void tl_pin(T (&x)[n]) {
  static_assert(sizeof(T) * n % 4 == 0, "whole registers");
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) * n / 4); ++i) tlb_pin(((unsigned*)x)[i]);
}
template <int n>
TL_FN void tl_pin(float (&x)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) tlb_pin(x[i]);
}
/// Before the first product that touches these registers after anything else did.
template <class... R>
TL_FN void tl_mma_fence(R&... registers) {
  (tl_pin(registers), ...);
  tlb_wgmma_fence();
}
TL_FN void tl_mma_commit() { tlb_wgmma_commit(); }
/// Returns when at most `left` groups are pending; these registers are finished then.
template <int left, class... R>
TL_FN void tl_mma_wait(R&... registers) {
  tlb_wgmma_wait<left>();
  (tl_pin(registers), ...);
}
/// Registers per thread of this warp group from here on.
template <int registers, int grow>
TL_FN void tl_reg_limit() {
  if (grow)
    tlb_reg_grow<registers>();
  else
    tlb_reg_shrink<registers>();
}
#endif

/// A value that is equal on all lanes of the warp, which are all here.
template <class T>
TL_FN T tl_uniform(T x) {
  return (T)__shfl_sync(TL_FULL_MASK, x, 0);
}
TL_FN bool tl_uniform(bool x) { return __shfl_sync(TL_FULL_MASK, (int)x, 0) != 0; }

/// Four matrices of 8 rows of 16 bytes; lane l names row l % 8 of matrix l / 8.
template <bool trans, class T>
TL_FN void tl_ldmatrix_x4(T* registers, const void* row) {
  static_assert(!trans || sizeof(T) == 2, "2-byte elements");
  if (trans)
    tlb_ldmatrix_x4_trans((unsigned*)registers, row);
  else
    tlb_ldmatrix_x4((unsigned*)registers, row);
}
#if TL_ARCH >= 900
/// The way back.
template <bool trans, class T>
TL_FN void tl_stmatrix_x4(void* row, const T* registers) {
  static_assert(!trans || sizeof(T) == 2, "2-byte elements");
  if (trans)
    tlb_stmatrix_x4_trans(row, (const unsigned*)registers);
  else
    tlb_stmatrix_x4(row, (const unsigned*)registers);
}
#endif
#define TL_MMA(shape, Sum, T, kind)                                \
  TL_FN void tl_mma_##shape(Sum* c, const T* a, const T* b) {      \
    tlb_mma_##kind(c, (const unsigned*)a, (const unsigned*)b);     \
  }
TL_MMA(m16n8k16, float, tl_f16, f16_m16n8k16)
TL_MMA(m16n8k16, float, tl_bf16, bf16_m16n8k16)
TL_MMA(m16n8k8, float, float, tf32_m16n8k8)
TL_MMA(m16n8k32, int, tl_i8, s8_m16n8k32)
TL_MMA(m16n8k32, int, tl_u8, u8_m16n8k32)
#undef TL_MMA
TL_FN void tl_mma_m8n8k4(double* c, const double* a, const double* b) {
  tlb_mma_f64_m8n8k4(c, *a, *b);
}
