// SPDX-License-Identifier: Apache-2.0
#include "core/ir/enums.h"

#include <vector>

#include "core/layout/matrix.h"

namespace tilelab {
namespace {

std::vector<std::string_view> words(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    size_t comma = list.find(',');
    std::string_view word = list.substr(0, comma);
    while (word.front() == ' ') word.remove_prefix(1);
    if (word.back() == '_') word.remove_suffix(1);
    out.push_back(word);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return out;
}

template <class T>
std::optional<T> find(const std::vector<std::string_view>& names, std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<T>(i);
  return std::nullopt;
}

}  // namespace

static std::string listed(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::string_view name : names)
    if (name != "unset") out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

#define ENUM(Type, ...)                                                                       \
  static const std::vector<std::string_view>& names_of_##Type() {                             \
    static const std::vector<std::string_view> all = words(#__VA_ARGS__);                     \
    return all;                                                                               \
  }                                                                                           \
  std::string_view name(Type value) { return names_of_##Type()[static_cast<size_t>(value)]; } \
  std::optional<Type> parse_##Type(std::string_view text) {                                   \
    return find<Type>(names_of_##Type(), text);                                               \
  }                                                                                           \
  template <> std::string choices<Type>() { return listed(names_of_##Type()); }
#include "core/ir/enums.def"
#undef ENUM

static const std::vector<std::string_view>& names_of_gemm_by() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names{"unset", "fma"};
    for (const MatrixInstruction& row : matrix_instructions()) names.push_back(row.name);
    return names;
  }();
  return all;
}
std::string_view name(GemmBy value) { return names_of_gemm_by()[static_cast<size_t>(value)]; }
std::optional<GemmBy> parse_GemmBy(std::string_view text) {
  return find<GemmBy>(names_of_gemm_by(), text);
}
template <> std::string choices<GemmBy>() { return listed(names_of_gemm_by()); }

}  // namespace tilelab
