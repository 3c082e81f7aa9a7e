// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/roles.h"

#include <algorithm>
#include <cctype>

#include "core/ir/intrinsics/intrinsics.h"

namespace tilelab::elaborate {

std::string threads_text(const ThreadRange& range) {
  return std::to_string(range.lo) + " to " + std::to_string(range.hi - 1);
}

std::string role_name(const ThreadRange& range) {
  const bool group = range.lo % kGroup == 0 && range.count() == kGroup;
  return group ? "ws" + std::to_string(range.lo / kGroup)
               : "threads_" + std::to_string(range.lo) + "_" + std::to_string(range.hi - 1);
}

std::string name_of_operation(const Stmt& stmt) {
  if (const Call* call = called(stmt)) return std::string(name(call->intrinsic));
  if (stmt->kind == Kind::Store) return "a store";
  std::string text = name(stmt->kind);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return "this " + text;
}

}  // namespace tilelab::elaborate
