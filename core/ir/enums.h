// SPDX-License-Identifier: Apache-2.0
// The enumerations of node fields (enums.def), with their names. A trailing `_` that avoids a
// keyword is not part of the name: bitand_ prints as "bitand".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilelab {

#define ENUM(Type, ...)                      \
  enum class Type : uint8_t { __VA_ARGS__ }; \
  std::string_view name(Type value);         \
  std::optional<Type> parse_##Type(std::string_view name);
#include "core/ir/enums.def"
#undef ENUM

/// How a Gemm is computed: multiply-adds of the threads, or a row of core/layout/matrix.def.
enum class GemmBy : uint8_t {
  unset,
  fma,
#define MATRIX(id, ...) id,
#include "core/layout/matrix.def"
#undef MATRIX
};
std::string_view name(GemmBy value);
std::optional<GemmBy> parse_GemmBy(std::string_view name);

/// The names of the values, for messages: choices<ScanOp>() is "sum, max".
template <class T> std::string choices();
#define ENUM(Type, ...) template <> std::string choices<Type>();
#include "core/ir/enums.def"
#undef ENUM
template <> std::string choices<GemmBy>();

/// parse_enum<Scope>("shared").
template <class T> std::optional<T> parse_enum(std::string_view name);
#define ENUM(Type, ...)                                                            \
  template <> inline std::optional<Type> parse_enum<Type>(std::string_view name) { \
    return parse_##Type(name);                                                     \
  }
#include "core/ir/enums.def"
#undef ENUM
template <> inline std::optional<GemmBy> parse_enum<GemmBy>(std::string_view name) {
  return parse_GemmBy(name);
}

}  // namespace tilelab
