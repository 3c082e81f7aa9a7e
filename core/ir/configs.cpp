// SPDX-License-Identifier: Apache-2.0
#include "core/ir/configs.h"

#include <algorithm>
#include <string>

namespace tilelab {
namespace {

constexpr ConfigRow rows[] = {
#define CONFIG(name, read) {name, ConfigRow::Read::read},
#include "core/ir/configs.def"
#undef CONFIG
};

}  // namespace

std::span<const ConfigRow> config_rows() { return rows; }

bool config_is_read(std::string_view name, bool units) {
  return std::any_of(std::begin(rows), std::end(rows), [&](const ConfigRow& row) {
    return row.name == name && (units || row.read == ConfigRow::Read::always);
  });
}

bool config_is_unknown(std::string_view name) {
  if (name.starts_with("tilelab.")) return !config_is_read(name, true);
  return config_is_read("tilelab." + std::string(name), true);
}

}  // namespace tilelab
