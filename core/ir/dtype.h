// SPDX-License-Identifier: Apache-2.0
// Element types, from one table (dtypes.def).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilelab {

enum class DType : uint8_t {
#define DTYPE(id, ...) id,
#include "core/ir/dtypes.def"
#undef DTYPE
};

enum class DTypeClass : uint8_t { boolean, integer, unsigned_, floating };

const char* name(DType dtype);           // "f16"
const char* tilelang_name(DType dtype);  // "float16"
DTypeClass dtype_class(DType dtype);
int bits(DType dtype);
inline int bytes(DType dtype) { return bits(dtype) / 8; }
inline bool is_four_bit_integer(DType d) { return d == DType::i4 || d == DType::u4; }
/// Bits of a value. Two values of 4 bits share a byte of tensors and of shared memory.
inline int value_bits(DType d) { return d == DType::e2m1 || is_four_bit_integer(d) ? 4 : bits(d); }
inline bool is_float(DType d) { return dtype_class(d) == DTypeClass::floating; }
inline bool is_unsigned(DType d) { return dtype_class(d) == DTypeClass::unsigned_; }
inline bool is_signed(DType d) { return dtype_class(d) == DTypeClass::integer; }
inline bool is_integer(DType d) { return is_signed(d) || is_unsigned(d); }
/// The accumulator dtype of a matrix instruction that multiplies this dtype.
inline DType accumulator_of(DType factor) {
  return factor == DType::f64 ? DType::f64 : is_float(factor) ? DType::f32 : DType::i32;
}
/// Accepts either name, and TileLang's aliases (half, float, double, int, uint, long, short).
std::optional<DType> dtype_from_name(std::string_view name);

/// Smallest and largest value of an integer dtype (u64's largest is given as -1).
int64_t min_int(DType dtype);
int64_t max_int(DType dtype);
/// Wraps `value` into the range of an integer dtype (bool: value != 0).
int64_t wrap_int(DType dtype, int64_t value);

/// The largest finite value of a floating dtype.
double largest_float(DType dtype);
/// IEEE-style encodings with round to nearest even; e4m3 is the "fn" form (no infinity). Overflow
/// gives infinity, in e4m3 NaN: for literals, where it can be diagnosed. Narrow floats without
/// infinity: core/support/dtype_codec.h.
uint64_t encode_float(DType dtype, double value);
/// The conversion that casts and arithmetic do at run time (core/support/dtype_codec.h): fp8 and
/// fp4 saturate to their largest finite value, infinities too.
uint64_t convert_float(DType dtype, double value);
double decode_float(DType dtype, uint64_t bits);

/// Type of an expression; a vector if `lanes` > 1.
struct Type {
  DType dtype = DType::i32;
  int32_t lanes = 1;
  bool operator==(const Type&) const = default;
  bool scalar() const { return lanes == 1; }
};

std::string to_string(Type type);  // "f32", "f32x4"

}  // namespace tilelab
