// SPDX-License-Identifier: Apache-2.0
#include "core/layout/code_paths.h"

#include <algorithm>

#include "core/layout/matrix.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

struct NamedPath {
  CodePath path;
  std::string_view others;  // other names
};

const std::vector<NamedPath>& named_paths() {
  static const std::vector<NamedPath> all = [] {
    using enum CodePath::Of;
    std::vector<NamedPath> made{
#define CODE_PATH(name, others, of, meaning) {{#name, of, meaning}, others},
#include "core/layout/code_paths.def"
#undef CODE_PATH
    };
    std::vector<std::string> seen;  // a name may have a row for each target
    for (const MatrixInstruction& each : matrix_instructions()) {
      const std::string name(each.name);
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
      seen.push_back(name);
      made.push_back(
          {{name, matmul, "the instruction " + name + " computes every matmul", true}, ""});
    }
    return made;
  }();
  return all;
}

std::string normal_name(std::string_view name) {
  std::string out(strip(name));
  for (char& c : out) {
    if (c == '-' || c == ' ' || c == '.') c = '_';
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

const std::vector<CodePath>& code_paths() {
  static const std::vector<CodePath> all = [] {
    std::vector<CodePath> made;
    for (const NamedPath& row : named_paths()) made.push_back(row.path);
    return made;
  }();
  return all;
}

const CodePath* find_code_path(std::string_view given) {
  const std::string name = normal_name(given);
  for (size_t i = 0; i < named_paths().size(); ++i) {
    const std::vector<std::string> others = split(std::string(named_paths()[i].others), ' ');
    const bool other = std::find(others.begin(), others.end(), name) != others.end();
    if (!name.empty() && (named_paths()[i].path.name == name || other)) return &code_paths()[i];
  }
  return nullptr;
}

std::vector<const CodePath*> parse_code_paths(std::string_view list, std::string* unknown) {
  std::vector<const CodePath*> out;
  for (const std::string& name : split(std::string(list), ',')) {
    const CodePath* path = find_code_path(name);
    if (!path) return *unknown = std::string(strip(name)), out;
    out.push_back(path);
  }
  return out;
}

}  // namespace tilelab
