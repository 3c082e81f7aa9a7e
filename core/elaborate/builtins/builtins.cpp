// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/builtins/builtins.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "core/diagnostics/usage.h"
#include "core/elaborate/elaborator.h"
#include "core/support/text.h"

namespace tilelab::elaborate {
namespace {

struct Row {
  const char* name;
  const char* signature;
  Value (Elaborator::*handler)(Arguments&);
  const char* data;
  Status status;
  const char* doc;
};

constexpr Row kBuiltins[] = {
#define SECTION(title) {nullptr, nullptr, nullptr, nullptr, Status::works, title},
#define BUILTIN(name, signature, handler, data, status, doc) \
  {name, signature, &Elaborator::on_##handler, data, Status::status, doc},
#include "core/elaborate/builtins/builtins.def"
#undef BUILTIN
#undef SECTION
};

constexpr Option kOptions[] = {
#define OPTION(builtin, option, kind, why) {builtin, option, Option::Kind::kind, why},
#include "core/elaborate/builtins/options.def"
#undef OPTION
};

Value parse_default(std::string_view text) {
  if (text == "None") return None{};
  if (text == "True") return true;
  if (text == "False") return false;
  if (text.front() == '"') return std::string(text.substr(1, text.size() - 2));
  return static_cast<int64_t>(std::strtoll(std::string(text).c_str(), nullptr, 10));
}

std::vector<Parameter> parse_signature(const std::string& signature) {
  std::vector<Parameter> out;
  bool keyword_only = false;
  if (signature.empty()) return out;
  for (const std::string& piece : split(signature, ',')) {
    std::string_view text = strip(piece);
    Parameter parameter;
    if (text == "*") {
      keyword_only = true;
      continue;
    }
    if (text.substr(0, 2) == "**") {
      parameter.form = Parameter::Form::keywords;
      text.remove_prefix(2);
    } else if (text.front() == '*') {
      parameter.form = Parameter::Form::rest;
      keyword_only = true;
      text.remove_prefix(1);
    } else if (keyword_only) {
      parameter.form = Parameter::Form::keyword;
    }
    size_t equals = text.find('=');
    parameter.name = std::string(text.substr(0, equals));
    if (equals != std::string_view::npos)
      parameter.fallback = parse_default(text.substr(equals + 1));
    out.push_back(std::move(parameter));
  }
  return out;
}

std::vector<Builtin> read_rows() {
  std::vector<Builtin> out;
  std::string section;
  for (const Row& row : kBuiltins) {
    if (!row.name) {
      section = row.doc;
      continue;
    }
    out.push_back({row.name, row.signature, row.handler, row.data, row.status, row.doc, section,
                   parse_signature(row.signature)});
  }
  return out;
}

}  // namespace

std::string_view status_name(Status status) {
  constexpr std::string_view names[] = {"works", "accepted", "planned", "refused"};
  return names[static_cast<size_t>(status)];
}

std::span<const Option> options() { return kOptions; }

std::string Option::note() const {
  return (kind == Kind::plain ? "only with tilelab.hardware_units off: " : "") + std::string(why);
}

Diagnostics reported_with_units(const Diagnostics& reported) {
  Diagnostics out;
  for (const Diagnostic& each : reported.all()) {
    const bool plain = each.id == usage::option_no_effect &&
                       std::any_of(std::begin(kOptions), std::end(kOptions), [&](const Option& o) {
                         return o.kind == Option::Kind::plain && each.notes.size() == 1 &&
                                each.notes[0] == o.note();
                       });
    if (!plain) out.add(each);
  }
  return out;
}

const Option* find_option(std::string_view builtin, std::string_view option) {
  for (const Option& row : kOptions)
    if (row.builtin == builtin && row.option == option) return &row;
  return nullptr;
}

const std::vector<Builtin>& builtins() {
  static const auto* const rows = new std::vector<Builtin>(read_rows());
  return *rows;
}

const Builtin* find_builtin(std::string_view name) {
  static const auto* const index = [] {
    auto* map = new std::unordered_map<std::string_view, const Builtin*>;
    for (const Builtin& row : builtins()) map->emplace(row.name, &row);
    return map;
  }();
  auto it = index->find(name);
  return it == index->end() ? nullptr : it->second;
}

size_t Arguments::index(std::string_view name) const {
  for (size_t i = 0; i < row->parameters.size(); ++i)
    if (row->parameters[i].name == name) return i;
  UNREACHABLE("T." + row->name + " has no parameter " + std::string(name));
}

const Argument& Arguments::at(size_t i) const {
  read_.resize(bound.size());
  read_[i] = true;
  return bound[i];
}

bool Arguments::has(std::string_view name) const {
  const Argument& argument = bound[index(name)];
  return argument.given && !argument.value.is<None>();
}

}  // namespace tilelab::elaborate
