// SPDX-License-Identifier: Apache-2.0
#include "codegen/c_family/types.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/support/text.h"

namespace tilelab::codegen {

bool is_narrow(DType dtype) { return is_float(dtype) && bits(dtype) < 32; }

std::string c_type(DType dtype) {
  switch (dtype) {
    case DType::bool_: return "bool";
    case DType::i16: return "short";
    case DType::i32: return "int";
    case DType::u32: return "unsigned";
    case DType::f32: return "float";
    case DType::f64: return "double";
    default: return std::string("tl_") + name(dtype);
  }
}

std::string c_type(Type type) {
  if (type.scalar()) return c_type(type.dtype);
  return std::string("tl_") + name(type.dtype) + "x" + std::to_string(type.lanes);
}

namespace {

std::string integer(DType dtype, uint64_t value, bool& needs_parens) {
  char text[32];
  if (is_unsigned(dtype)) {
    std::snprintf(text, sizeof text, "%llu%s", static_cast<unsigned long long>(value),
                  bits(dtype) == 64   ? "ull"
                  : bits(dtype) == 32 ? "u"
                                      : "");
    return text;
  }
  const auto v = static_cast<int64_t>(value);
  needs_parens = v < 0;
  if (v == INT64_MIN) return "-9223372036854775807ll - 1";
  if (v == INT32_MIN && dtype == DType::i32) return "-2147483647 - 1";
  const bool wide = v > INT32_MAX || v < -INT32_MAX;
  std::snprintf(text, sizeof text, "%lld%s", static_cast<long long>(v), wide ? "ll" : "");
  return text;
}

/// A float or double: the shortest decimal that reads back exactly, or the bits.
std::string floating(double value, bool single, uint64_t raw, bool& needs_parens) {
  char text[64];
  if (std::isnan(value)) {
    std::snprintf(text, sizeof text, single ? "tl_float(0x%llxu)" : "tl_bitcast<double>(0x%llxull)",
                  static_cast<unsigned long long>(raw));
    return text;
  }
  needs_parens = std::signbit(value);
  const std::string sign = needs_parens ? "-" : "", suffix = single ? "f" : "";
  if (std::isinf(value)) return sign + (single ? "TL_INFINITY" : "(double)TL_INFINITY");
  std::string digits =
      sign + (single ? shortest(std::fabs(float(value))) : shortest(std::fabs(value)));
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + suffix;
}

}  // namespace

std::string c_constant(DType dtype, uint64_t raw, bool& needs_parens) {
  needs_parens = false;
  if (dtype == DType::bool_) return raw ? "true" : "false";
  if (!is_float(dtype)) return integer(dtype, raw, needs_parens);
  const double value = decode_float(dtype, raw);
  if (dtype == DType::f64) return floating(value, false, raw, needs_parens);
  if (dtype == DType::f32) return floating(value, true, raw & 0xffffffffu, needs_parens);
  bool ignored = false;
  if (std::isinf(value) && bytes(dtype) == 1) {  // conversions to 8 bits saturate
    char text[40];
    std::snprintf(text, sizeof text, "((tl_u8)0x%llx)", static_cast<unsigned long long>(raw));
    return "tl_bitcast<" + c_type(dtype) + ">" + text;
  }
  float single = float(value);  // exact: every narrow float is a float
  uint32_t single_bits;
  std::memcpy(&single_bits, &single, 4);
  return c_type(dtype) + "(" + floating(value, true, single_bits, ignored) + ")";
}

}  // namespace tilelab::codegen
