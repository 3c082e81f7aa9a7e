// SPDX-License-Identifier: Apache-2.0
#include "core/ir/configs.h"

#include <algorithm>

#include "core/layout/code_paths.h"
#include "core/support/text.h"

#include "core/ir/func.h"

namespace tilelab {
namespace {

constexpr ConfigRow rows[] = {
#define CONFIG(name, read, value) {name, ConfigRow::Read::read, ConfigRow::Value::value},
#include "core/ir/configs.def"
#undef CONFIG
};

/// Names of code paths (code_paths.def), separated by commas.
std::string paths_need(const Attr& value) {
  std::string unknown;
  if (value.form == Attr::Form::string) parse_code_paths(value.string, &unknown);
  if (value.form == Attr::Form::string && unknown.empty()) return "";
  const std::vector<std::string> names = names_of(code_paths());
  const std::string near = nearest(unknown, names);
  return (near.empty() ? "" : "\"" + near + "\", or another of ") + join(names, ", ");
}

}  // namespace

std::span<const ConfigRow> config_rows() { return rows; }

bool config_is_read(std::string_view name, bool units) {
  return std::any_of(std::begin(rows), std::end(rows), [&](const ConfigRow& row) {
    return row.name == name && (units || row.read == ConfigRow::Read::always);
  });
}

std::string config_needs(std::string_view name, const Attr* value) {
  const auto row = std::find_if(std::begin(rows), std::end(rows),
                                [&](const ConfigRow& r) { return r.name == name; });
  if (row == std::end(rows)) return "";
  const bool text = value && value->form == Attr::Form::string;
  const bool number = value && !text && value->form != Attr::Form::list;
  switch (row->value) {
    case ConfigRow::Value::names: return text ? "" : "a text of names";
    case ConfigRow::Value::paths: return paths_need(value ? *value : Attr());
    case ConfigRow::Value::count:
      return number && value->integer > 0 ? "" : "a number of 1 or more";
    default: return number && (value->integer | 1) == 1 ? "" : "True or False";
  }
}

bool config_is_unknown(std::string_view name) {
  if (name.starts_with("tilelab.")) return !config_is_read(name, true);
  return config_is_read("tilelab." + std::string(name), true);
}

bool guards_accesses(const Func& func) {
  const Attr* given = find_attr(func.configs, "tilelab.guards");
  return !given || given->integer != 0;
}

}  // namespace tilelab
