// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, barriers and matrix instructions of NVIDIA GPUs: groups with exact counts,
// barriers by shared-memory address, boxes in the tensor map.
#pragma once

TL_FN unsigned tlb_address(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }
/// Of the L2 cache: lines that such a load brings are the first to evict.
#define TLB_EVICT_FIRST 0x12F0000000000000ull
/// Copies N bytes (4, 8, 16) from global to shared memory; visible after tl_cp_wait. Of no bytes if
/// not `inside`: then it writes zeros.
#define TLB_CP_ASYNC(name, hint, policy, ...)                                                     \
  template <int N>                                                                                \
  TL_FN void name(void* shared, const void* global, bool inside) {                                \
    static_assert(N == 4 || N == 8 || N == 16, "4, 8 or 16 bytes");                               \
    const unsigned at = tlb_address(shared);                                                      \
    if (N == 16)                                                                                  \
      asm volatile("cp.async.cg.shared.global" hint " [%0], [%1], 16, %2" policy ";" ::"r"(at),   \
                   "l"(global), "r"(inside ? 16 : 0), "n"(N) __VA_ARGS__                          \
                   : "memory");                                                                   \
    else                                                                                          \
      asm volatile("cp.async.ca.shared.global" hint " [%0], [%1], %3, %2" policy ";" ::"r"(at),   \
                   "l"(global), "r"(inside ? N : 0), "n"(N) __VA_ARGS__                           \
                   : "memory");                                                                   \
  }                                                                                               \
  template <int N>                                                                                \
  TL_FN void name(void* shared, const void* global) {                                             \
    const unsigned at = tlb_address(shared);                                                      \
    if (N == 16)                                                                                  \
      asm volatile("cp.async.cg.shared.global" hint " [%0], [%1], 16" policy ";" ::"r"(at),       \
                   "l"(global), "n"(N), "n"(N) __VA_ARGS__                                        \
                   : "memory");                                                                   \
    else                                                                                          \
      asm volatile("cp.async.ca.shared.global" hint " [%0], [%1], %2" policy ";" ::"r"(at),       \
                   "l"(global), "n"(N), "n"(N) __VA_ARGS__                                        \
                   : "memory");                                                                   \
  }
TLB_CP_ASYNC(tl_cp_async, "", "")
TLB_CP_ASYNC(tl_cp_async_first, ".L2::cache_hint", ", %4", , "l"(TLB_EVICT_FIRST))
#undef TLB_CP_ASYNC
TL_FN void tl_cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int n>
TL_FN void tl_cp_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
}
/// Synchronizes a part of the block at hardware barrier `id` (1..15).
TL_FN void tl_part_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// Whole warps arrive there without waiting.
TL_FN void tl_part_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

#if TL_ARCH >= 900
// ---- clusters of blocks: every thread of every block arrives, then waits
TL_FN void tl_cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
TL_FN void tl_cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
TL_FN void tl_cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
TL_FN void tl_cluster_sync() {
  tl_cluster_arrive();
  tl_cluster_wait();
}
/// Stores to the same address of shared memory in the block with that rank. T: one value or several.
template <class P, class T>
TL_FN void tl_cluster_store(P* shared, T value, int rank) {
  tl_u64 there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"((tl_u64)shared), "r"(rank));
  *(T*)there = value;
}
// ---- mbarriers, by address in shared memory
TL_FN void tl_bar_init(int bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
TL_FN void tl_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
TL_FN void tl_fence_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
/// Arrivals counted in lanes, in warps (all lanes reach it, one arrives), or in groups of 4 warps
/// whose matrix operations have finished (its first thread arrives).
TL_FN void tl_bar_arrive_lane(int bar) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(bar) : "memory");
}
TL_FN void tl_bar_arrive_warp(int bar) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) tl_bar_arrive_lane(bar);
}
TL_FN void tl_bar_arrive_group(int bar) {
  if (threadIdx.x % 128 == 0) tl_bar_arrive_lane(bar);
}
/// Each thread arrives once the copies that it has issued are done; it does not wait for them.
TL_FN void tl_bar_arrive_copies(int bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
}
TL_FN void tl_bar_expect(int bar, int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(bytes)
               : "memory");
}
TL_FN void tl_bar_arrive_expect(int bar, int bytes) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" ::"r"(bar),
               "r"(bytes)
               : "memory");
}
TL_FN void tl_bar_wait(int bar, int parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"(bar),
      "r"(parity)
      : "memory");
}

// ---- copy engine: one box of 1 to 5 dimensions; its extents and its swizzle are in the tensor
// map, coordinates innermost first
#define TLB_TMA_LOAD(name, rank, load_at, hint, policy, ...)                                      \
  TL_FN void name(void* shared, const tl_map& map, int bar, TLB_PARAMS) {                         \
    asm volatile("cp.async.bulk.tensor." #rank                                                    \
                 "d.shared::cluster.global.mbarrier::complete_tx::bytes" hint                     \
                 " [%0], [%1, {" load_at "}], [%2]" policy ";" ::"r"(tlb_address(shared)),        \
                 "l"(&map), "r"(bar), __VA_ARGS__                                                 \
                 : "memory");                                                                     \
  }
#define TLB_TMA(rank, load_at, policy, store_at, ...)                                             \
  TLB_TMA_LOAD(tl_tma_load, rank, load_at, "", "", __VA_ARGS__)                                   \
  TLB_TMA_LOAD(tl_tma_load_first, rank, load_at, ".L2::cache_hint", ", " policy,                  \
               __VA_ARGS__, "l"(TLB_EVICT_FIRST))                                                 \
  TL_FN void tl_tma_store(const tl_map& map, const void* shared, TLB_PARAMS) {                    \
    asm volatile("cp.async.bulk.tensor." #rank                                                    \
                 "d.global.shared::cta.bulk_group [%0, {" store_at "}], [%1];" ::"l"(&map),       \
                 "r"(tlb_address(shared)), __VA_ARGS__ : "memory");                               \
  }                                                                                               \
  /* adds to the elements of the box, each atomically */                                          \
  TL_FN void tl_tma_add(const tl_map& map, const void* shared, TLB_PARAMS) {                      \
    asm volatile("cp.reduce.async.bulk.tensor." #rank                                             \
                 "d.global.shared::cta.add.bulk_group [%0, {" store_at "}], [%1];" ::"l"(&map),   \
                 "r"(tlb_address(shared)), __VA_ARGS__ : "memory");                               \
  }
#define TLB_PARAMS int x
TLB_TMA(1, "%3", "%4", "%2", "r"(x))
#undef TLB_PARAMS
#define TLB_PARAMS int x, int y
TLB_TMA(2, "%3, %4", "%5", "%2, %3", "r"(x), "r"(y))
#undef TLB_PARAMS
#define TLB_PARAMS int x, int y, int z
TLB_TMA(3, "%3, %4, %5", "%6", "%2, %3, %4", "r"(x), "r"(y), "r"(z))
#undef TLB_PARAMS
#define TLB_PARAMS int x, int y, int z, int u
TLB_TMA(4, "%3, %4, %5, %6", "%7", "%2, %3, %4, %5", "r"(x), "r"(y), "r"(z), "r"(u))
#undef TLB_PARAMS
#define TLB_PARAMS int x, int y, int z, int u, int v
TLB_TMA(5, "%3, %4, %5, %6, %7", "%8", "%2, %3, %4, %5, %6", "r"(x), "r"(y), "r"(z), "r"(u), "r"(v))
#undef TLB_PARAMS
#undef TLB_TMA
#undef TLB_TMA_LOAD
#undef TLB_EVICT_FIRST
TL_FN void tlb_prefetch_map(const tl_map& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
/// Loads tensor maps into the cache of the copy engine.
template <class... M>
TL_FN void tl_prefetch_maps(const M&... maps) {
  if (threadIdx.x == 0) (tlb_prefetch_map(maps), ...);
}
TL_FN void tl_bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int n>
TL_FN void tl_bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory");
}
template <int n>
TL_FN void tl_bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory");
}

// ---- wgmma: operands in shared memory are descriptors relative to the arena
TL_FN int tl_shared_address(const void* shared) { return (int)tlb_address(shared); }
TL_FN tl_u64 tl_arena(const void* smem) { return tlb_address(smem) >> 4; }
template <int n, class T>
TL_FN T (&tl_slice(T* registers))[n] {
  return *(T(*)[n])registers;
}
TL_FN void tlb_pin(float& x) { asm volatile("" : "+f"(x)::"memory"); }
TL_FN void tlb_pin(unsigned& x) { asm volatile("" : "+r"(x)::"memory"); }
/// Compiler barrier for these registers.
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
/// Before the first matmul that uses these registers after any other access.
template <class... R>
TL_FN void tl_mma_fence(R&... registers) {
  (tl_pin(registers), ...);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
TL_FN void tl_mma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most `left` groups are pending; these registers are then complete.
template <int left, class... R>
TL_FN void tl_mma_wait(R&... registers) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
  (tl_pin(registers), ...);
}
/// Registers per thread of this warp group from here on.
template <int registers, int grow>
TL_FN void tl_reg_limit() {
  if (grow)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
  else
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
#endif

/// A warp-uniform value; all lanes of the warp are active.
template <class T>
TL_FN T tl_uniform(T x) {
  return (T)__shfl_sync(TL_FULL_MASK, x, 0);
}
TL_FN bool tl_uniform(bool x) { return __shfl_sync(TL_FULL_MASK, (int)x, 0) != 0; }

// ---- matrix instructions of sm_80
/// Matrices of 8 rows of 16 bytes; lane l addresses row l % 8 of matrix l / 8.
#define TL_LDMATRIX(count, held, address, ...)                                                    \
  template <bool trans, class T>                                                                  \
  TL_FN void tl_ldmatrix_x##count(T* registers, const void* row) {                                \
    static_assert(!trans || sizeof(T) == 2, "2-byte elements");                                   \
    unsigned* r = (unsigned*)registers;                                                           \
    if (trans)                                                                                    \
      asm volatile("ldmatrix.sync.aligned.m8n8.x" #count ".trans.shared.b16 " held ", [" address "];"\
                   : __VA_ARGS__                                                                  \
                   : "r"(tlb_address(row)));                                                      \
    else                                                                                          \
      asm volatile("ldmatrix.sync.aligned.m8n8.x" #count ".shared.b16 " held ", [" address "];"   \
                   : __VA_ARGS__                                                                  \
                   : "r"(tlb_address(row)));                                                      \
  }
TL_LDMATRIX(1, "{%0}", "%1", "=r"(r[0]))
TL_LDMATRIX(2, "{%0, %1}", "%2", "=r"(r[0]), "=r"(r[1]))
TL_LDMATRIX(4, "{%0, %1, %2, %3}", "%4", "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]))
#undef TL_LDMATRIX
#if TL_ARCH >= 900
/// The inverse.
template <bool trans, class T>
TL_FN void tl_stmatrix_x4(void* row, const T* registers) {
  static_assert(!trans || sizeof(T) == 2, "2-byte elements");
  const unsigned* r = (const unsigned*)registers;
  if (trans)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     tlb_address(row)),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
  else
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     tlb_address(row)),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
}
#endif
/// C, of the type that `c_of` constrains, has four registers, A four and B two of 32 bits.
#define TL_MMA(shape, types, Sum, T, c_of)                                                        \
  TL_FN void tl_mma_##shape(Sum* c, const T* of_a, const T* of_b) {                               \
    const unsigned *a = (const unsigned*)of_a, *b = (const unsigned*)of_b;                        \
    asm volatile("mma.sync.aligned." #shape ".row.col." types                                     \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"               \
                 : "+" c_of(c[0]), "+" c_of(c[1]), "+" c_of(c[2]), "+" c_of(c[3])                 \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));             \
  }
TL_MMA(m16n8k16, "f32.f16.f16.f32", float, tl_f16, "f")
TL_MMA(m16n8k16, "f32.bf16.bf16.f32", float, tl_bf16, "f")
TL_MMA(m16n8k8, "f32.tf32.tf32.f32", float, float, "f")
TL_MMA(m16n8k32, "s32.s8.s8.s32", int, tl_i8, "r")
TL_MMA(m16n8k32, "s32.u8.u8.s32", int, tl_u8, "r")
#if TL_ARCH >= 890
TL_MMA(m16n8k32, "f32.e4m3.e4m3.f32", float, tl_e4m3, "f")
TL_MMA(m16n8k32, "f32.e5m2.e5m2.f32", float, tl_e5m2, "f")
#endif
#undef TL_MMA
TL_FN void tl_mma_m8n8k4(double* c, const double* a, const double* b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(*a), "d"(*b));
}
