// SPDX-License-Identifier: Apache-2.0
#include "core/diagnostics/renamed.h"

namespace tilelab {

std::string_view current_name(std::string_view name) {
#define RENAMED(old, now) \
  if (name == (old)) return now;
#include "core/diagnostics/renamed.def"
#undef RENAMED
  return name;
}

}  // namespace tilelab
