// SPDX-License-Identifier: Apache-2.0
#include "core/ir/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/support/check.h"

namespace tilelab {
namespace {

struct DTypeRow {
  const char *name, *tilelang;
  DTypeClass cls;
  int bits;
};

constexpr DTypeRow kDTypes[] = {
#define DTYPE(id, ir, tilelang, cls, bits) {ir, tilelang, DTypeClass::cls, bits},
#include "core/ir/dtypes.def"
#undef DTYPE
};

const DTypeRow& row(DType dtype) { return kDTypes[static_cast<int>(dtype)]; }

struct Alias {
  const char* name;
  DType dtype;
};

constexpr Alias kAliases[] = {
    {"half", DType::f16},     {"float", DType::f32},     {"double", DType::f64},
    {"int", DType::i32},      {"uint", DType::u32},      {"long", DType::i64},
    {"short", DType::i16},    {"boolean", DType::bool_}, {"float8_e4m3", DType::e4m3},
    {"tfloat32", DType::f32},  // in memory; products read the upper 19 bits
};

/// A small float format: `exponent` and `mantissa` bits, all-ones exponent special unless `fn`.
struct Format {
  int exponent, mantissa;
  bool fn;
  int bias() const { return (1 << (exponent - 1)) - 1; }
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f16: return {5, 10, false};
    case DType::bf16: return {8, 7, false};
    case DType::e5m2: return {5, 2, false};
    case DType::e4m3: return {4, 3, true};
    default: UNREACHABLE("not a small float format");
  }
}

uint64_t encode_small(Format f, double value) {
  uint64_t sign = std::signbit(value) ? uint64_t{1} << (f.exponent + f.mantissa) : 0;
  uint64_t exponent_mask = (uint64_t{1} << f.exponent) - 1;
  uint64_t infinity = exponent_mask << f.mantissa;
  uint64_t nan = f.fn ? infinity | ((1u << f.mantissa) - 1) : infinity | (1u << (f.mantissa - 1));
  uint64_t overflow = f.fn ? nan : infinity;
  if (std::isnan(value)) return sign | nan;
  if (std::isinf(value)) return sign | overflow;
  double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  int exponent;
  std::frexp(magnitude, &exponent);
  int e = std::max(exponent - 1, 1 - f.bias());  // subnormals share the smallest exponent
  // nearbyint rounds to even; the scaled value is exact in double.
  auto scaled = static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, f.mantissa - e)));
  uint64_t bits = scaled + (static_cast<uint64_t>(e + f.bias() - 1) << f.mantissa);
  uint64_t largest = f.fn ? nan - 1 : infinity - 1;
  return sign | (bits > largest ? overflow : bits);
}

double decode_small(Format f, uint64_t bits) {
  uint64_t mantissa = bits & ((1u << f.mantissa) - 1);
  int exponent = static_cast<int>((bits >> f.mantissa) & ((1u << f.exponent) - 1));
  double sign = (bits >> (f.exponent + f.mantissa)) & 1 ? -1.0 : 1.0;
  bool top = exponent == (1 << f.exponent) - 1;
  if (top && f.fn && mantissa == (1u << f.mantissa) - 1)
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (top && !f.fn)
    return std::copysign(mantissa ? std::numeric_limits<double>::quiet_NaN() : INFINITY, sign);
  if (exponent == 0)
    return sign * std::ldexp(static_cast<double>(mantissa), 1 - f.bias() - f.mantissa);
  return sign * std::ldexp(static_cast<double>(mantissa | (1u << f.mantissa)),
                           exponent - f.bias() - f.mantissa);
}

}  // namespace

const char* name(DType dtype) { return row(dtype).name; }
const char* tilelang_name(DType dtype) { return row(dtype).tilelang; }
DTypeClass dtype_class(DType dtype) { return row(dtype).cls; }
int bits(DType dtype) { return row(dtype).bits; }

std::optional<DType> dtype_from_name(std::string_view text) {
  for (size_t i = 0; i < std::size(kDTypes); ++i)
    if (text == kDTypes[i].name || text == kDTypes[i].tilelang) return static_cast<DType>(i);
  for (const Alias& alias : kAliases)
    if (text == alias.name) return alias.dtype;
  return std::nullopt;
}

int64_t min_int(DType dtype) {
  return is_signed(dtype) ? std::numeric_limits<int64_t>::min() >> (64 - bits(dtype)) : 0;
}

int64_t max_int(DType dtype) {
  if (dtype == DType::bool_) return 1;
  if (is_signed(dtype)) return std::numeric_limits<int64_t>::max() >> (64 - bits(dtype));
  return static_cast<int64_t>(~uint64_t{0} >> (64 - bits(dtype)));
}

int64_t wrap_int(DType dtype, int64_t value) {
  if (dtype == DType::bool_) return value != 0;
  int shift = 64 - bits(dtype);
  auto up = static_cast<uint64_t>(value) << shift;
  return is_signed(dtype) ? static_cast<int64_t>(up) >> shift : static_cast<int64_t>(up >> shift);
}

uint64_t encode_float(DType dtype, double value) {
  if (dtype == DType::f64) return std::bit_cast<uint64_t>(value);
  if (dtype == DType::f32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return encode_small(format_of(dtype), value);
}

uint64_t convert_float(DType dtype, double value) {
  if (dtype != DType::e4m3 && dtype != DType::e5m2) return encode_float(dtype, value);
  double largest = dtype == DType::e4m3 ? 448 : 57344;
  return encode_float(dtype, std::isnan(value) ? value : std::clamp(value, -largest, largest));
}

double decode_float(DType dtype, uint64_t bits) {
  if (dtype == DType::f64) return std::bit_cast<double>(bits);
  if (dtype == DType::f32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return decode_small(format_of(dtype), bits);
}

std::string to_string(Type type) {
  return type.scalar() ? name(type.dtype) : name(type.dtype) + ("x" + std::to_string(type.lanes));
}

}  // namespace tilelab
