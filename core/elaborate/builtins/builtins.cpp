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

namespace {

/// " No effect: `a` and `b` (why); `c` (why)."; empty if all options have one.
std::string without_effect(const Builtin& row) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const Option& option : kOptions) {
    if (option.builtin != row.name) continue;
    if (by_reason.empty() || by_reason.back().first != option.note())
      by_reason.push_back({option.note(), {}});
    by_reason.back().second.push_back("`" + std::string(option.option) + "`");
  }
  std::vector<std::string> parts;
  for (const auto& [why, names] : by_reason) parts.push_back(join(names, ", ") + " (" + why + ")");
  return parts.empty() ? "" : " *No effect*: " + join(parts, "; ") + ".";
}

std::string dtypes_section() {
  std::string out = "\n## dtypes\n\n";
  std::vector<std::string> names;
  for (int i = 0; i <= int(DType::f64); ++i)
    names.push_back("`T." + std::string(tilelang_name(DType(i))) + "`");
  out += join(names, ", ") +
         "; `T.tfloat32` is float32 of which matrix products read the upper 19 bits.\n\n";
  out +=
      "Conversions round to nearest even; those to 8 bits and fewer saturate. A byte of a tensor "
      "or of shared memory holds two elements of `T.float4_e2m1fn`, the one with the even index in "
      "its lower half: a call accepts uint8, int8 or torch.float4_e2m1fn_x2 with half as many "
      "elements in the last dimension, which is even. One iteration of a loop stores both "
      "neighbours. T.gemm, atomics, reductions and addresses need a copy in a fragment or in "
      "another "
      "dtype. `T.float8_e8m0fnu` is a power of two: the next one at or above the magnitude.\n";
  return out;
}

constexpr std::string_view kRulesSection =
    "\n## Extents and sizes\n\n"
    "An extent of a loop of `T` that is 0 when the kernel is compiled is a warning "
    "(`extent-zero`), and so is an interval whose start is not below its stop, as in "
    "`T.serial(4, 2)`. A negative extent, as in `T.Parallel(-1)`, is an error "
    "(`too-small`). Python's `range` follows Python: `range(0)`, `range(-1)` and "
    "`range(4, 2)` are empty loops without a message. A grid of no blocks is a warning, too, and "
    "a call of it an error. A buffer of a block has at least one element, and a slice has at "
    "least one element. A tensor may be "
    "empty. Sizes that are too large for their memory or for 64 bits are errors "
    "(`too-large`).\n"
    "\n## How do I disable a warning?\n\n"
    "By its name, which the warning shows in brackets:\n\n"
    "| for | write |\n|---|---|\n"
    "| one line | the comment `# tilelab: allow(unread-elements)` on the line of the warning, or "
    "alone on the line before it |\n"
    "| one kernel | `T.allow(\"unread-elements\")` in the kernel, or "
    "`pass_configs={\"tilelab.allow\": \"unread-elements\"}` of tilelang.jit |\n"
    "| a session | `%warnings off unread-elements`; `%warnings on unread-elements` shows it again "
    "|\n"
    "| a process | the environment variable `TILELAB_ALLOW=unread-elements` |\n\n"
    "Each takes several names, separated by commas (`%warnings`: by spaces). A name that no "
    "warning has is itself a warning (`allow-unknown`). Errors and notes can't be disabled.\n";

}  // namespace

std::string language_reference() {
  std::string out =
      "# The language: every function of `T`\n\n"
      "Generated from `core/elaborate/builtins/builtins.def` and `options.def`; a test keeps them "
      "equal. *planned* and *unsupported* names produce an error that states why. *accepted* names "
      "and *no effect* options are ignored, with one note per kernel, which `%explain` and "
      "`%check` show. If ignoring one could change the result, you get a warning.\n";
  std::string section;
  for (const Builtin& row : builtins()) {
    if (row.section != section) {
      section = row.section;
      out += "\n## " + section + "\n\n";
    }
    const std::string shown = row.shown();
    if (row.status == Status::works)
      out += "- `" + shown + "(" + row.signature + ")`: " + row.doc + without_effect(row) + "\n";
    else
      out +=
          "- `" + shown + "` (" +
          (row.status == Status::refused ? "unsupported" : std::string(status_name(row.status))) +
          "): " + row.doc + "\n";
  }
  return out + dtypes_section() + std::string(kRulesSection);
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
