// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/builtins.h"

#include <cstdlib>
#include <unordered_map>

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

constexpr Row kRows[] = {
#define SECTION(title) {nullptr, nullptr, nullptr, nullptr, Status::works, title},
#define BUILTIN(name, signature, handler, data, status, doc) \
  {name, signature, &Elaborator::on_##handler, data, Status::status, doc},
#include "core/elaborate/builtins.def"
#undef BUILTIN
#undef SECTION
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
  for (const Row& row : kRows) {
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

std::string language_reference() {
  std::string out =
      "# The language: every function of `T`\n\n"
      "Made from `core/elaborate/builtins.def`; a test keeps the two equal. *planned* and "
      "*refused* "
      "names answer with a diagnostic.\n";
  std::string section;
  for (const Builtin& row : builtins()) {
    if (row.section != section) {
      section = row.section;
      out += "\n## " + section + "\n\n";
    }
    bool python = row.name.rfind("builtins.", 0) == 0;
    std::string shown = python ? row.name.substr(9) : "T." + row.name;
    if (row.status == Status::works)
      out += "- `" + shown + "(" + row.signature + ")`: " + row.doc + "\n";
    else
      out += "- `" + shown + "` (" + (row.status == Status::planned ? "planned" : "refused") +
             "): " + row.doc + "\n";
  }
  return out;
}

const Argument& Arguments::operator[](std::string_view name) const {
  for (size_t i = 0; i < row->parameters.size(); ++i)
    if (row->parameters[i].name == name) return bound[i];
  UNREACHABLE("T." + row->name + " has no parameter " + std::string(name));
}

bool Arguments::has(std::string_view name) const {
  const Argument& argument = (*this)[name];
  return argument.given && !argument.value.is<None>();
}

}  // namespace tilelab::elaborate
