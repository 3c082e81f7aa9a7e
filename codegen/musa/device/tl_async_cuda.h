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

#if TL_ARCH >= 900
TL_FN void tl_bar_init(int bar, int count) { tlb_bar_init(bar, count); }
TL_FN void tl_init_fence() { tlb_init_fence(); }
TL_FN void tl_fence_proxy() { tlb_fence_proxy(); }
/// One lane's arrival.
TL_FN void tl_bar_arrive(int bar) { tlb_bar_arrive(bar); }
TL_FN void tl_bar_expect(int bar, int bytes) { tlb_bar_expect(bar, bytes); }
TL_FN void tl_bar_arrive_expect(int bar, int bytes) { tlb_bar_arrive_expect(bar, bytes); }
TL_FN void tl_bar_wait(int bar, int parity) { tlb_bar_wait(bar, parity); }
TL_FN void tl_tma_load(void* shared, const tl_map& map, int x, int y, int bar) {
  tlb_tma_load(shared, map, x, y, bar);
}
TL_FN void tl_tma_store(const tl_map& map, const void* shared, int x, int y) {
  tlb_tma_store(map, shared, x, y);
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
#endif

/// Four 8 x 8 matrices of 2-byte elements; lane l names row l % 8 of matrix l / 8.
template <bool trans, class T>
TL_FN void tl_ldmatrix_x4(T* registers, const void* row) {
  static_assert(sizeof(T) == 2, "2-byte elements");
  if (trans)
    tlb_ldmatrix_x4_trans((unsigned*)registers, row);
  else
    tlb_ldmatrix_x4((unsigned*)registers, row);
}
TL_FN void tl_mma_m16n8k16(float* c, const tl_f16* a, const tl_f16* b) {
  tlb_mma_f16_m16n8k16(c, (const unsigned*)a, (const unsigned*)b);
}
TL_FN void tl_mma_m16n8k16(float* c, const tl_bf16* a, const tl_bf16* b) {
  tlb_mma_bf16_m16n8k16(c, (const unsigned*)a, (const unsigned*)b);
}
