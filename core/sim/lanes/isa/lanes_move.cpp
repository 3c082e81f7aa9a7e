// SPDX-License-Identifier: Apache-2.0
// Moves many rows and strided lanes, and tests many lanes (compiled once per instruction set). The
// loops have few instructions, so that the processor overlaps the cache misses of many rows.
#include <cstring>

#include "core/sim/lanes/isa/lane_loops.h"

namespace tilelab::sim {
namespace {

#if defined(__AVX512F__)
using Block = __m512i;
TILELAB_INLINE Block read(const uint8_t* p) { return _mm512_loadu_si512(p); }
TILELAB_INLINE void write(uint8_t* p, Block b) { _mm512_storeu_si512(p, b); }
#else
struct Block {
  uint8_t bytes[32];
};
TILELAB_INLINE Block read(const uint8_t* p) {
  Block b;
  std::memcpy(&b, p, sizeof b);
  return b;
}
TILELAB_INLINE void write(uint8_t* p, Block b) { std::memcpy(p, &b, sizeof b); }
#endif

constexpr int64_t block = sizeof(Block);
/// Rows of a tile are often a power of two apart and then map to one set of the L1 cache, which has
/// room for the next 8. The L2 cache has room for more.
constexpr int64_t l1_prefetch_distance = 8, l2_prefetch_distance = 24;

TILELAB_INLINE void prefetch_rows(const uint8_t* from, int64_t step, int64_t bytes) {
  const uint8_t *next = from + l1_prefetch_distance * step,
                *later = from + l2_prefetch_distance * step;
  for (int64_t b = 0; b < bytes; b += 64) {
    __builtin_prefetch(next + b);
    __builtin_prefetch(later + b, 0, 2);
  }
}

/// Rows of a constant number of bytes: straight-line code.
template <int64_t blocks>
void copy_whole(uint8_t* to, int64_t to_step, const uint8_t* from, int64_t from_step,
                int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    prefetch_rows(from, from_step, blocks * block);
    for (int64_t b = 0; b < blocks; ++b) write(to + b * block, read(from + b * block));
    to += to_step, from += from_step;
  }
}

void copy_rows_of(void* to_rows, int64_t to_step, const void* from_rows, int64_t from_step,
                  int64_t rows, int64_t bytes) {
  uint8_t* to = static_cast<uint8_t*>(to_rows);
  const uint8_t* from = static_cast<const uint8_t*>(from_rows);
  switch (bytes) {
    case block: return copy_whole<1>(to, to_step, from, from_step, rows);
    case 2 * block: return copy_whole<2>(to, to_step, from, from_step, rows);
    case 4 * block: return copy_whole<4>(to, to_step, from, from_step, rows);
    case 8 * block: return copy_whole<8>(to, to_step, from, from_step, rows);
    default: break;
  }
  for (int64_t r = 0; r < rows; ++r) {
    prefetch_rows(from, from_step, bytes < 512 ? bytes : 512);
    std::memcpy(to, from, size_t(bytes));
    to += to_step, from += from_step;
  }
}

template <class T> void put_typed(T* out, const T* in, int64_t step, size_t n) {
  size_t i = 0;
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 2) {
    if (step ==
        2) {  // leaves the lanes in between unchanged: the second row of an interleaved pair
      for (; i + 16 <= n; i += 16) {
        __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
        _mm512_mask_storeu_epi16(out + 2 * i, 0x55555555u, _mm512_cvtepu16_epi32(v));
      }
    }
  }
#endif
  for (; i < n; ++i) out[int64_t(i) * step] = in[i];
}

void put_lanes(void* out, const void* in, int64_t step, int bytes, size_t n) {
  with_word(bytes, [&]<class T>(T) {
    put_typed(static_cast<T*>(out), static_cast<const T*>(in), step, n);
  });
}

/// Chunk by chunk; the loop over a chunk has no branch, so that it is vectorized.
template <class T> bool any_typed(const T* a, T from, size_t n) {
  constexpr size_t chunk = 4096 / sizeof(T);
  constexpr T magnitude = T(T(~T{0}) >> 1);
  for (size_t i = 0; i < n;) {
    const size_t end = n - i < chunk ? n : i + chunk;
    T largest = 0;
    LANE_LOOP
    for (size_t j = i; j < end; ++j) {
      const T x = T(a[j] & magnitude);
      largest = x > largest ? x : largest;
    }
    if (largest >= from) return true;
    i = end;
  }
  return false;
}

bool any_of(const void* a, int bytes, uint64_t from, size_t n) {
  return with_word(bytes,
                   [&]<class T>(T) { return any_typed(static_cast<const T*>(a), T(from), n); });
}

}  // namespace

void ISA_NAME(fill_move_)(LaneTable& t) {
  t.copy_rows = copy_rows_of;
  t.put_step = put_lanes;
  t.any_magnitude = any_of;
}

}  // namespace tilelab::sim
