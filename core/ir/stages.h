// SPDX-License-Identifier: Apache-2.0
// The stage of a function: which passes have run, according to `after` in its header.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilelab {

enum class Stage : uint8_t {
  elaborated,
#define PASS(pass, takes, gives, reassociates, doc, holds) pass,
#include "core/ir/passes.def"
#undef PASS
};

/// The stage named by a pass; `elaborated` for any other word.
constexpr Stage stage_of(std::string_view after) {
#define PASS(pass, takes, gives, reassociates, doc, holds) \
  if (after == #pass) return Stage::pass;
#include "core/ir/passes.def"
#undef PASS
  return Stage::elaborated;
}

/// The name of the pass.
constexpr std::string_view name(Stage stage) {
  switch (stage) {
    case Stage::elaborated: return "";
#define PASS(pass, takes, gives, reassociates, doc, holds) \
  case Stage::pass:                                        \
    return #pass;
#include "core/ir/passes.def"
#undef PASS
  }
  return "";
}

}  // namespace tilelab
