// SPDX-License-Identifier: Apache-2.0
// Arithmetic on arrays of lanes: what every level of the simulator computes with.
//
// A lane array of element kind k holds n values contiguously in the bytes of k: f16 and bf16 as
// uint16_t, fp8 as uint8_t, bool and masks as one byte 0 or 1. Kernels compute all n lanes; masks
// apply only where a result is kept (`blend`) or reported (`any_zero`), so a caller masks stores.
// f16, bf16 and fp8 are computed in f32 and rounded once per operation. Every kernel gives the same
// bits on every machine: compiled for baseline x86-64 (or anything else), AVX2 and AVX-512, the
// best one chosen at run time; no contraction, no reassociation. The f32 functions are within 2 ulp
// of the exact value (tests/unit/sim/accuracy.def); f64 functions are the C library's. Only the
// payload of a NaN made from two NaNs is unspecified.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ir/dtype.h"

namespace tilelab::sim {

using Elem = DType;
inline constexpr int elem_count = 0
#define DTYPE(...) +1
#define DECLARED_DTYPE(...)
#include "core/ir/dtypes.def"
#undef DTYPE
    ;

constexpr int elem_bytes(Elem e) {
  constexpr uint8_t sizes[elem_count] = {
#define DTYPE(id, ir, tilelang, cls, bits) bits / 8,
#define DECLARED_DTYPE(...)
#include "core/ir/dtypes.def"
#undef DTYPE
  };
  return sizes[int(e)];
}

/// f(T()) with the unsigned integer T of 1, 2, 4 or 8 bytes.
template <class F> auto with_word(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
  }
}

enum class LaneOp : uint8_t {
#define LANE_OP(name, operands, result, kinds, meaning) name,
#include "core/sim/lanes/lanes.def"
#undef LANE_OP
};
inline constexpr int lane_op_count = 0
#define LANE_OP(name, operands, result, kinds, meaning) +1
#include "core/sim/lanes/lanes.def"
#undef LANE_OP
    ;

const char* lane_op_name(LaneOp op);
int lane_op_operands(LaneOp op);
/// Whether the result is a mask (one byte per lane) instead of the operands' kind.
bool lane_op_gives_mask(LaneOp op);

/// out[i] = op(a[i], b[i], c[i]) for i < n; surplus operands are ignored. `out` may be one of the
/// operands if its lanes have the same size; otherwise the arrays must not overlap.
using LaneFn = void (*)(void* out, const void* a, const void* b, const void* c, size_t n);

/// The kernel of `op` on lanes of kind `e`; null if the operation does not exist for the kind.
LaneFn lane_fn(LaneOp op, Elem e);
/// out[i] = a[i] converted: integers wrap, floats round to nearest even (fp8: and saturate), float
/// to integer truncates and saturates with NaN -> 0, anything to bool is != 0. `b` and `c` are
/// ignored.
LaneFn cast_fn(Elem to, Elem from);
/// out[i] = mask[i] ? b[i] : c[i] for lanes of 1, 2, 4 or 8 bytes; the mask is operand `a`.
/// With out == c it is a masked assignment.
LaneFn select_fn(int bytes);

/// out[i] = *value, lanes of 1, 2, 4 or 8 bytes.
void broadcast(void* out, const void* value, int bytes, size_t n);
/// out[i] = start + i * step (wrapping), for the integer kinds of 4 and 8 bytes.
void iota(void* out, Elem e, int64_t start, int64_t step, size_t n);
/// out[i] = base[index[i]] in units of lanes of 1, 2, 4 or 8 bytes. The caller has checked the
/// indices.
void gather(void* out, const void* base, const int64_t* index, int bytes, size_t n);
/// base[index[i]] = in[i] in increasing i (the last lane of a repeated index wins), where mask[i]
/// is not 0; a null mask stores all.
void scatter(void* base, const void* in, const int64_t* index, const uint8_t* mask, int bytes,
             size_t n);
/// Copies `rows` rows of `bytes` bytes, with strides `to_step` and `from_step` in bytes; they must
/// not overlap. May prefetch cache lines beyond the last row.
void copy_rows(void* to, int64_t to_step, const void* from, int64_t from_step, int64_t rows,
               int64_t bytes);
/// out[i * step] = in[i] in units of lanes of 1, 2, 4 or 8 bytes; the lanes in between are
/// unchanged.
void put_step(void* out, const void* in, int64_t step, int bytes, size_t n);
/// Whether an unmasked lane (null mask: any) is zero; integers. For reporting x // 0.
bool any_zero(const void* a, Elem e, const uint8_t* mask, size_t n);
/// Whether a lane of 1, 2, 4 or 8 bytes, as an unsigned integer without its highest bit, is at
/// least `from`: the bits of floats of one sign are ordered, infinities and NaN last.
bool any_magnitude(const void* a, int bytes, uint64_t from, size_t n);
/// The number of lanes that a mask keeps.
size_t count(const uint8_t* mask, size_t n);

/// Instruction sets, best last. `best_isa` is the best one of this machine; the environment
/// variable TILELAB_ISA (base, avx2, avx512) lowers it. `use_isa` is for tests: it switches every
/// table.
enum class Isa : uint8_t { base, avx2, avx512 };
Isa best_isa();
void use_isa(Isa isa);

}  // namespace tilelab::sim
