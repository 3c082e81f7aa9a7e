// SPDX-License-Identifier: Apache-2.0
// Packing and blocking around the micro kernels. Both operands are widened to f32 once per call: B
// as panels [k][columns], A as strips of 8 rows. A panel stays in the L1 cache while all strips are
// multiplied with it.
#include "core/sim/lanes/gemm.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "core/sim/lanes/isa/gemm_table.h"
#include "core/support/check.h"

namespace tilelab::sim {

Isa isa_in_use();  // lanes/lanes.cpp
void fill_gemm_base(GemmTable&);
void fill_gemm_avx2(GemmTable&);
void fill_gemm_avx512(GemmTable&);

static const GemmTable& kernels() {
  static const GemmTable* tables = [] {
    static GemmTable all[3];
    fill_gemm_base(all[0]);
    // Filling a table executes code of its instruction set.
    if (best_isa() >= Isa::avx2) fill_gemm_avx2(all[1]);
    if (best_isa() >= Isa::avx512) fill_gemm_avx512(all[2]);
    return all;
  }();
  return tables[int(isa_in_use())];
}

static const void* at(const Matrix& x, int64_t i, int64_t j) {
  return static_cast<const char*>(x.data) +
         (i * x.row_stride + j * x.col_stride) * elem_bytes(x.elem);
}
static void* at_mutable(const Matrix& x, int64_t i, int64_t j) {
  return const_cast<void*>(at(x, i, j));
}

namespace {

/// Rounds up to whole strips or panels.
int64_t whole(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

/// Packed operands and a block of C; grows on demand, one per thread.
struct Scratch {
  std::vector<float> a, b, c;
  float run[gemm_depth];
};
Scratch& scratch() {
  static thread_local Scratch s;
  return s;
}
/// Resizes to at least `n` floats, aligned to a cache line: no vector of a panel straddles two.
float* resized(std::vector<float>& v, int64_t n) {
  constexpr size_t line = 64;
  size_t wanted = size_t(n) + line / sizeof(float);
  if (v.size() < wanted) v.resize(wanted);
  size_t over = reinterpret_cast<uintptr_t>(v.data()) % line;
  return v.data() + (over ? (line - over) / sizeof(float) : 0);
}

/// B[k0 .. k0 + depth)[0 .. n) as panels of `columns`, the last one padded with zeros.
void pack_b(const GemmTable& t, float* out, const Matrix& b, int64_t k0, int64_t depth, int64_t n,
            float* run) {
  int64_t panel_size = depth * t.columns;
  if (n % t.columns != 0) {
    float* last = out + n / t.columns * panel_size;
    std::fill(last, last + panel_size, 0.0f);
  }
  if (b.row_stride == 1 && b.col_stride != 1) {  // contiguous along k
    for (int64_t j = 0; j < n; ++j) {
      t.load_run(run, at(b, k0, j), b.elem, 1, depth);
      t.spread(out + j / t.columns * panel_size + j % t.columns, t.columns, run, depth);
    }
    return;
  }
  if (b.col_stride == 1) {
    for (int64_t j = 0; j < n; j += t.columns)
      t.load_rows(out + j * depth, t.columns, at(b, k0, j), b.elem, b.row_stride, depth,
                  std::min(t.columns, n - j));
    return;
  }
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t j = 0; j < n; j += t.columns)
      t.load_run(out + j / t.columns * panel_size + k * t.columns, at(b, k0 + k, j), b.elem,
                 b.col_stride, std::min(t.columns, n - j));
}

/// A[m0 .. m0 + rows)[k0 .. k0 + depth) as one strip: [rows][depth], or k-major if A is stored so.
void pack_a(const GemmTable& t, float* out, const Matrix& a, int64_t m0, int64_t rows, int64_t k0,
            int64_t depth, bool k_major) {
  if (k_major) {
    t.load_rows(out, gemm_rows, at(a, m0, k0), a.elem, a.col_stride, depth, rows);
  } else if (a.col_stride == 1) {
    t.load_rows(out, depth, at(a, m0, k0), a.elem, a.row_stride, rows, depth);
  } else {
    for (int64_t r = 0; r < rows; ++r)
      t.load_run(out + r * depth, at(a, m0 + r, k0), a.elem, a.col_stride, depth);
  }
}

/// Multiplies one packed depth into f32 rows of C whose width is a whole number of panels.
void multiply_packed(const GemmTable& t, const float* a, const float* b, float* c, int64_t c_stride,
                     int64_t m, int64_t padded_n, int64_t depth, bool k_major) {
  for (int64_t j = 0; j < padded_n; j += t.columns) {
    const float* panel = b + j * depth;
    for (int64_t i = 0; i < m; i += gemm_rows) {
      int64_t rows = std::min(gemm_rows, m - i);
      GemmTable::Micro micro = (k_major ? t.k_major : t.row_major)[rows - 1];
      micro(depth, a + i * depth, panel, c + i * c_stride + j, c_stride);
    }
  }
}

/// Clears the significand bits that tf32 lacks. Narrower types, widened to f32, have zeros there.
void truncate_to_tf32(float* values, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    values[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(values[i]) & 0xffffe000u);
}

void gemm_f32(const Matrix& c, const Matrix& a, const Matrix& b, int64_t m, int64_t n, int64_t k,
              bool clear, bool tf32) {
  const GemmTable& t = kernels();
  Scratch& s = scratch();
  int64_t padded_n = whole(n, t.columns);
  bool direct = c.elem == Elem::f32 && c.col_stride == 1 && padded_n == n;
  float* work = direct ? static_cast<float*>(c.data) : resized(s.c, m * padded_n);
  int64_t stride = direct ? c.row_stride : padded_n;
  for (int64_t i = 0; i < m; ++i) {
    if (clear)
      std::fill(work + i * stride, work + i * stride + padded_n, 0.0f);
    else if (!direct)
      t.load_run(work + i * stride, at(c, i, 0), c.elem, c.col_stride, n);
  }
  float* packed_b = resized(s.b, gemm_depth * padded_n);
  float* packed_a = resized(s.a, gemm_depth * whole(m, gemm_rows));
  bool k_major = a.row_stride == 1 && a.col_stride != 1;
  for (int64_t k0 = 0; k0 < k; k0 += gemm_depth) {
    int64_t depth = std::min(gemm_depth, k - k0);
    pack_b(t, packed_b, b, k0, depth, n, s.run);
    for (int64_t i = 0; i < m; i += gemm_rows)
      pack_a(t, packed_a + i * depth, a, i, std::min(gemm_rows, m - i), k0, depth, k_major);
    if (tf32) {
      truncate_to_tf32(packed_b, depth * padded_n);
      truncate_to_tf32(packed_a, depth * whole(m, gemm_rows));
    }
    multiply_packed(t, packed_a, packed_b, work, stride, m, padded_n, depth, k_major);
  }
  if (direct) return;
  LaneFn round = cast_fn(c.elem, Elem::f32);
  for (int64_t i = 0; i < m; ++i) {
    if (c.col_stride == 1) {
      round(at_mutable(c, i, 0), work + i * stride, nullptr, nullptr, size_t(n));
    } else {
      for (int64_t j = 0; j < n; ++j)
        round(at_mutable(c, i, j), work + i * stride + j, nullptr, nullptr, 1);
    }
  }
}

/// Kinds without a micro kernel: rows of C in T, a multiply-add of a whole row per (i, k).
template <class T>
void gemm_rowwise(const Matrix& c, const Matrix& a, const Matrix& b, int64_t m, int64_t n,
                  int64_t k, bool clear, Elem kind, void (*axpy)(T*, T, const T*, int64_t)) {
  LaneFn load_a = cast_fn(kind, a.elem), load_b = cast_fn(kind, b.elem);
  std::vector<T> rows_b(size_t(n * k)), row = std::vector<T>(size_t(n));
  for (int64_t l = 0; l < k; ++l)
    for (int64_t j = 0; j < n; ++j)
      load_b(&rows_b[size_t(l * n + j)], at(b, l, j), nullptr, nullptr, 1);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (clear)
        row[size_t(j)] = T{};
      else
        std::memcpy(&row[size_t(j)], at(c, i, j), sizeof(T));
    }
    for (int64_t l = 0; l < k; ++l) {
      T x;
      load_a(&x, at(a, i, l), nullptr, nullptr, 1);
      axpy(row.data(), x, &rows_b[size_t(l * n)], n);
    }
    for (int64_t j = 0; j < n; ++j) std::memcpy(at_mutable(c, i, j), &row[size_t(j)], sizeof(T));
  }
}

/// Integers of any width, multiplied modulo 2^64 after a conversion to the type of C.
void gemm_integers(const Matrix& c, const Matrix& a, const Matrix& b, int64_t m, int64_t n,
                   int64_t k, bool clear) {
  const LaneFn widen = cast_fn(Elem::u64, c.elem), narrow = cast_fn(c.elem, Elem::u64);
  auto load = [&](const Matrix& x, int64_t i, int64_t j) {
    uint64_t own = 0, wide = 0;
    cast_fn(c.elem, x.elem)(&own, at(x, i, j), nullptr, nullptr, 1);
    widen(&wide, &own, nullptr, nullptr, 1);
    return wide;
  };
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      uint64_t sum = clear ? 0 : load(c, i, j);
      for (int64_t l = 0; l < k; ++l) sum += load(a, i, l) * load(b, l, j);
      narrow(at_mutable(c, i, j), &sum, nullptr, nullptr, 1);
    }
}

bool is_small_float(Elem e) { return is_float(e) && e != Elem::f64; }
bool is_small_integer(Elem e) { return is_integer(e) && elem_bytes(e) <= 4; }

/// An operand of a float C; the micro kernels read floats of up to 32 bits. Others are converted to
/// f32, in `values`.
Matrix operand(const Matrix& x, int64_t rows, int64_t columns, std::vector<float>& values) {
  if (is_small_float(x.elem)) return x;
  values.resize(size_t(rows * columns));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      cast_fn(Elem::f32, x.elem)(&values[size_t(i * columns + j)], at(x, i, j), nullptr, nullptr,
                                 1);
  return {values.data(), Elem::f32, columns, 1};
}

}  // namespace

void gemm(const Matrix& c, const Matrix& a, const Matrix& b, int64_t m, int64_t n, int64_t k,
          bool clear, bool tf32) {
  if (m <= 0 || n <= 0) return;
  if (c.elem == Elem::f64)
    return gemm_rowwise<double>(c, a, b, m, n, k, clear, Elem::f64, kernels().axpy_f64);
  if (c.elem == Elem::i32 && is_small_integer(a.elem) && is_small_integer(b.elem))
    return gemm_rowwise<uint32_t>(c, a, b, m, n, k, clear, Elem::i32, kernels().axpy_i32);
  if (!is_float(c.elem)) return gemm_integers(c, a, b, m, n, k, clear);
  std::vector<float> values[2];
  gemm_f32(c, operand(a, m, k, values[0]), operand(b, k, n, values[1]), m, n, k, clear, tf32);
}

}  // namespace tilelab::sim
