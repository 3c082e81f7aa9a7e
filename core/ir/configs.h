// SPDX-License-Identifier: Apache-2.0
// The pass configurations that this compiler reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/ir/node.h"

namespace tilelab {

struct ConfigRow {
  enum class Read : uint8_t { always, with_units };
  enum class Value : uint8_t { truth, count, names, paths };
  std::string_view name;
  Read read;
  Value value;
};
std::span<const ConfigRow> config_rows();

/// Whether a pass reads it; `units`: whether native hardware units are selected.
bool config_is_read(std::string_view name, bool units);
/// What the value of that configuration has to be; empty if `value` is that. Null: another type.
std::string config_needs(std::string_view name, const Attr* value);
/// Whether it is a misspelled name of ours, or one without `tilelab.`.
bool config_is_unknown(std::string_view name);

}  // namespace tilelab
