// SPDX-License-Identifier: Apache-2.0
// Choosing the tables of vector kernels for this machine.
#include "core/sim/lanes/lanes.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "core/sim/lanes/isa/isa.h"
#include "core/support/check.h"

namespace tilelab::sim {

#define TILELAB_FILL(isa)                \
  void fill_arith_##isa(LaneTable&);     \
  void fill_math_##isa(LaneTable&);      \
  void fill_cast_##isa(LaneTable&);      \
  void fill_move_##isa(LaneTable&);      \
  static void fill_##isa(LaneTable& t) { \
    fill_arith_##isa(t);                 \
    fill_math_##isa(t);                  \
    fill_cast_##isa(t);                  \
    fill_move_##isa(t);                  \
  }
TILELAB_FILL(base)
TILELAB_FILL(avx2)
TILELAB_FILL(avx512)
#undef TILELAB_FILL

static_assert(int(Elem::f64) == elem_count - 1);

static LaneTable make_table(Isa isa) {
  LaneTable t{};
  if (isa == Isa::avx512) return fill_avx512(t), t;
  if (isa == Isa::avx2) return fill_avx2(t), t;
  fill_base(t);
  return t;
}

static const LaneTable& table_of(Isa isa) {
  static const LaneTable base = make_table(Isa::base);
  if (isa == Isa::base) return base;
  if (isa == Isa::avx2) {
    static const LaneTable avx2 = make_table(Isa::avx2);
    return avx2;
  }
  static const LaneTable avx512 = make_table(Isa::avx512);
  return avx512;
}

#ifdef __x86_64__
/// Conversions between f16 and f32; __builtin_cpu_supports of clang 14 has no word for them.
static bool has_f16c() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

static Isa detect() {
  Isa isa = Isa::base;
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c())
    isa = Isa::avx2;
  if (isa == Isa::avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    isa = Isa::avx512;
  if (const char* wish = std::getenv("TILELAB_ISA")) {
    if (std::strcmp(wish, "base") == 0) isa = Isa::base;
    if (std::strcmp(wish, "avx2") == 0 && isa == Isa::avx512) isa = Isa::avx2;
  }
#endif
  return isa;
}

Isa best_isa() {
  static const Isa isa = detect();
  return isa;
}

static std::atomic<const LaneTable*>& current() {
  static std::atomic<const LaneTable*> table = &table_of(best_isa());
  return table;
}
static const LaneTable& table() { return *current().load(std::memory_order_relaxed); }

static std::atomic<Isa> gemm_isa{Isa::base};
static std::atomic<bool> gemm_isa_set{false};
/// The instruction set in use; also read by lanes/gemm.cpp.
Isa isa_in_use() { return gemm_isa_set.load() ? gemm_isa.load() : best_isa(); }

void use_isa(Isa isa) {
  CHECK(isa <= best_isa(), "this machine has no such instruction set");
  gemm_isa = isa;
  gemm_isa_set = true;
  current() = &table_of(isa);
}

struct OpFacts {
  const char* name;
  int operands;
  bool mask;
};
static const OpFacts& facts(LaneOp op) {
  constexpr bool same = false, mask = true;
  static const OpFacts rows[lane_op_count] = {
#define LANE_OP(name, operands, result, kinds, meaning) {#name, operands, result},
#include "core/sim/lanes/lanes.def"
#undef LANE_OP
  };
  return rows[int(op)];
}

const char* lane_op_name(LaneOp op) { return facts(op).name; }
int lane_op_operands(LaneOp op) { return facts(op).operands; }
bool lane_op_gives_mask(LaneOp op) { return facts(op).mask; }

LaneFn lane_fn(LaneOp op, Elem e) { return table().op[int(op)][int(e)]; }
LaneFn cast_fn(Elem to, Elem from) { return table().cast[int(to)][int(from)]; }
LaneFn select_fn(int bytes) {
  CHECK(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
  return table().select[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3];
}

void broadcast(void* out, const void* value, int bytes, size_t n) {
  table().broadcast(out, value, bytes, n);
}
void iota(void* out, Elem e, int64_t start, int64_t step, size_t n) {
  table().iota(out, e, start, step, n);
}
void gather(void* out, const void* base, const int64_t* index, int bytes, size_t n) {
  table().gather(out, base, index, bytes, n);
}
void scatter(void* base, const void* in, const int64_t* index, const uint8_t* mask, int bytes,
             size_t n) {
  table().scatter(base, in, index, mask, bytes, n);
}

void copy_rows(void* to, int64_t to_step, const void* from, int64_t from_step, int64_t rows,
               int64_t bytes) {
  table().copy_rows(to, to_step, from, from_step, rows, bytes);
}
void put_step(void* out, const void* in, int64_t step, int bytes, size_t n) {
  table().put_step(out, in, step, bytes, n);
}

bool any_magnitude(const void* a, int bytes, uint64_t from, size_t n) {
  return table().any_magnitude(a, bytes, from, n);
}

bool any_zero(const void* a, Elem e, const uint8_t* mask, size_t n) {
  static const char zero[8] = {};
  const char* bytes = static_cast<const char*>(a);
  size_t size = size_t(elem_bytes(e));
  for (size_t i = 0; i < n; ++i)
    if ((mask == nullptr || mask[i]) && std::memcmp(bytes + i * size, zero, size) == 0) return true;
  return false;
}

size_t count(const uint8_t* mask, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += mask[i];
  return sum;
}

}  // namespace tilelab::sim
