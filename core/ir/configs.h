// SPDX-License-Identifier: Apache-2.0
// Which pass configurations mean something here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tilelab {

struct ConfigRow {
  enum class Read : uint8_t { always, with_units };
  std::string_view name;
  Read read;
};
std::span<const ConfigRow> config_rows();

/// Whether a pass reads it; `units`: whether the machine's own units are chosen.
bool config_is_read(std::string_view name, bool units);
/// Whether it is one of our names with a slip in it, or without its `tilelab.`.
bool config_is_unknown(std::string_view name);

}  // namespace tilelab
