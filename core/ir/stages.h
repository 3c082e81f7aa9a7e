// SPDX-License-Identifier: Apache-2.0
// The stage of a function: which passes have run, according to `after` in its header.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilelab {

enum class Stage : uint8_t {
  elaborated,
#define STAGE(pass, leaves) pass,
#include "core/ir/stages.def"
#undef STAGE
};

/// The stage named by a pass; `elaborated` for any other word.
constexpr Stage stage_of(std::string_view after) {
#define STAGE(pass, leaves) \
  if (after == #pass) return Stage::pass;
#include "core/ir/stages.def"
#undef STAGE
  return Stage::elaborated;
}

/// The name of the pass.
constexpr std::string_view name(Stage stage) {
  switch (stage) {
    case Stage::elaborated: return "";
#define STAGE(pass, leaves) \
  case Stage::pass:         \
    return #pass;
#include "core/ir/stages.def"
#undef STAGE
  }
  return "";
}

/// The property established by the pass.
constexpr std::string_view leaves(Stage stage) {
  switch (stage) {
    case Stage::elaborated: return "";
#define STAGE(pass, text) \
  case Stage::pass:       \
    return text;
#include "core/ir/stages.def"
#undef STAGE
  }
  return "";
}

}  // namespace tilelab
