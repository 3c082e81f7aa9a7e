// SPDX-License-Identifier: Apache-2.0
// The fast code paths that a kernel can require: compilation fails if one is not taken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

/// The configuration with their names, separated by commas.
inline constexpr const char* kRequired = "tilelab.require";

struct CodePath {
  enum class Of : uint8_t { matmul, load, kernel };  // what takes it
  std::string name;
  Of of;
  std::string meaning;
  bool instruction = false;  // a matmul by the instruction of that name, otherwise by any
};

/// All of them.
const std::vector<CodePath>& code_paths();
/// By name or another name, in any case, with `-` or a space for `_`; null if there is none.
const CodePath* find_code_path(std::string_view name);
/// The paths of a list; `unknown` is the first name that is none.
std::vector<const CodePath*> parse_code_paths(std::string_view list, std::string* unknown);

}  // namespace tilelab
