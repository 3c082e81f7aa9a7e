// SPDX-License-Identifier: Apache-2.0
// The pass configurations that this compiler reads.
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

/// Whether a pass reads it; `units`: whether native hardware units are selected.
bool config_is_read(std::string_view name, bool units);
/// Whether it is a misspelled name of ours, or one without `tilelab.`.
bool config_is_unknown(std::string_view name);

}  // namespace tilelab
