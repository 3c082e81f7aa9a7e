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
    {"tfloat32", DType::f32},  // in memory; matrix units read the upper 19 bits
};

/// The codes of a small float format that are not finite numbers.
enum class Special : uint8_t {
  ieee,  // the largest exponent: infinity, NaN
  fn,    // the largest code: NaN
  fnuz,  // the code of -0: NaN
  none,
};

/// A small float format with a sign.
struct Format {
  int exponent, mantissa;  // bits
  Special special = Special::ieee;
  int bias() const { return (1 << (exponent - 1)) - (special == Special::fnuz ? 0 : 1); }
  uint64_t sign() const { return uint64_t{1} << (exponent + mantissa); }
  /// Without the sign: the first code that is not a finite number.
  uint64_t end() const {
    if (special == Special::ieee) return ((uint64_t{1} << exponent) - 1) << mantissa;
    return special == Special::fn ? sign() - 1 : sign();
  }
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f16: return {5, 10};
    case DType::bf16: return {8, 7};
    case DType::e5m2: return {5, 2};
    case DType::e4m3: return {4, 3, Special::fn};
    case DType::e5m2fnuz: return {5, 2, Special::fnuz};
    case DType::e4m3fnuz: return {4, 3, Special::fnuz};
    case DType::e2m1: return {2, 1, Special::none};
    default: UNREACHABLE("not a small float format");
  }
}

uint64_t encode_small(Format f, double value) {
  const uint64_t sign = std::signbit(value) ? f.sign() : 0;
  if (f.special == Special::none && std::isnan(value)) return f.end() - 1;
  if (f.special == Special::fnuz && std::isnan(value)) return f.sign();
  const uint64_t quiet = f.special == Special::ieee ? uint64_t{1} << (f.mantissa - 1) : 0;
  if (std::isnan(value)) return sign | f.end() | quiet;
  const uint64_t overflow = f.special == Special::none   ? sign | (f.end() - 1)
                            : f.special == Special::fnuz ? f.sign()
                                                         : sign | f.end();
  if (std::isinf(value)) return overflow;
  const double magnitude = std::fabs(value);
  int exponent;
  std::frexp(magnitude, &exponent);
  int e = std::max(exponent - 1, 1 - f.bias());  // subnormals share the smallest exponent
  if (magnitude == 0) e = 1 - f.bias();
  // nearbyint rounds to even; the scaled value is exact in double.
  auto scaled = static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, f.mantissa - e)));
  const uint64_t bits = scaled + (static_cast<uint64_t>(e + f.bias() - 1) << f.mantissa);
  if (bits >= f.end()) return overflow;
  return bits == 0 && f.special == Special::fnuz ? 0 : sign | bits;
}

double decode_small(Format f, uint64_t bits) {
  const double sign = bits & f.sign() ? -1.0 : 1.0;
  const uint64_t code = bits & (f.sign() - 1);
  const double nan = std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (f.special == Special::fnuz && code == 0 && sign < 0) return nan;
  if (code >= f.end()) return f.special == Special::ieee && code == f.end() ? sign * INFINITY : nan;
  const uint64_t mantissa = code & ((1u << f.mantissa) - 1);
  const int exponent = static_cast<int>(code >> f.mantissa);
  if (exponent == 0)
    return sign * std::ldexp(static_cast<double>(mantissa), 1 - f.bias() - f.mantissa);
  return sign * std::ldexp(static_cast<double>(mantissa | (1u << f.mantissa)),
                           exponent - f.bias() - f.mantissa);
}

/// Powers of two, 2^(code - 127): rounds the magnitude up (dtype_codec.h).
uint64_t encode_scale(double value) {
  if (std::isnan(value)) return 0xff;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // [0.5, 1) * 2^exponent
  if (std::isinf(value)) return 0xfe;
  const int up = fraction == 0 ? -127 : fraction == 0.5 ? exponent - 1 : exponent;
  return static_cast<uint64_t>(std::clamp(up, -127, 127) + 127);
}

double decode_scale(uint64_t bits) {
  if ((bits & 0xff) == 0xff) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(1.0, static_cast<int>(bits & 0xff) - 127);
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
  return is_signed(dtype) ? std::numeric_limits<int64_t>::min() >> (64 - value_bits(dtype)) : 0;
}

int64_t max_int(DType dtype) {
  if (dtype == DType::bool_) return 1;
  if (is_signed(dtype)) return std::numeric_limits<int64_t>::max() >> (64 - value_bits(dtype));
  return static_cast<int64_t>(~uint64_t{0} >> (64 - value_bits(dtype)));
}

int64_t wrap_int(DType dtype, int64_t value) {
  if (dtype == DType::bool_) return value != 0;
  int shift = 64 - value_bits(dtype);
  auto up = static_cast<uint64_t>(value) << shift;
  return is_signed(dtype) ? static_cast<int64_t>(up) >> shift : static_cast<int64_t>(up >> shift);
}

double largest_float(DType dtype) {
  if (dtype == DType::f64) return std::numeric_limits<double>::max();
  if (dtype == DType::f32) return std::numeric_limits<float>::max();
  if (dtype == DType::e8m0) return decode_scale(0xfe);
  const Format format = format_of(dtype);
  return decode_small(format, format.end() - 1);
}

uint64_t encode_float(DType dtype, double value) {
  if (dtype == DType::f64) return std::bit_cast<uint64_t>(value);
  if (dtype == DType::f32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (dtype == DType::e8m0) return encode_scale(value);
  return encode_small(format_of(dtype), value);
}

uint64_t convert_float(DType dtype, double value) {
  if (bits(dtype) > 8 || std::isnan(value)) return encode_float(dtype, value);
  const double largest = largest_float(dtype);
  return encode_float(dtype, std::clamp(value, -largest, largest));
}

double decode_float(DType dtype, uint64_t bits) {
  if (dtype == DType::f64) return std::bit_cast<double>(bits);
  if (dtype == DType::f32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (dtype == DType::e8m0) return decode_scale(bits);
  return decode_small(format_of(dtype), bits);
}

std::string to_string(Type type) {
  return type.scalar() ? name(type.dtype) : name(type.dtype) + ("x" + std::to_string(type.lanes));
}

}  // namespace tilelab
