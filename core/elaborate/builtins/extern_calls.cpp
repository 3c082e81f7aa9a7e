// SPDX-License-Identifier: Apache-2.0
// T.call_extern, T.call_intrin: functions by name. Those that the language has are called as its
// own, on every target; all others are functions of source code (foreign.cpp).
#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/foreign.h"

namespace tilelab::elaborate {

namespace {

enum class Treatment : uint8_t { calls, calls_masked, no_effect };

struct Extern {
  std::string_view name;
  Treatment treatment;
  const char* text;                                          // the builtin or the reason
  std::variant<std::monostate, int, const char*> last = {};  // a constant last argument
};

constexpr Extern kExterns[] = {
#define CALLS(name, builtin, ...) {name, Treatment::calls, builtin __VA_OPT__(, ) __VA_ARGS__},
#define MASKED(name, builtin) {name, Treatment::calls_masked, builtin},
#define EXTERN(name, why) {name, Treatment::no_effect, why},
#include "core/elaborate/builtins/externs.def"
#undef EXTERN
#undef MASKED
#undef CALLS
};

bool is_known(std::string_view name) {
  return std::any_of(std::begin(kExterns), std::end(kExterns),
                     [&](const Extern& row) { return row.name == name; });
}

/// TVM's types of calls without a value.
bool is_void(const Value& dtype) {
  if (dtype.is<None>()) return true;
  const auto* name = dtype.get<std::string>();
  const auto* type = dtype.get<DTypeValue>();
  const std::string text = name ? *name : type ? type->name : "";
  return text == "void" || text == "handle";
}

/// "exp" of "tir.exp".
std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

Value ForeignCall::known(Elaborator& e, std::string_view name, const std::vector<Argument>& passed,
                         std::optional<DType> result, Span span) {
  Value value = None{};
  for (const Extern& row : kExterns) {
    if (row.name != name) continue;
    if (row.treatment == Treatment::no_effect) {
      if (e.reported_options_.insert(std::string(name)).second)
        e.report(usage::option_no_effect, span, name).note(row.text);
      return None{};
    }
    std::vector<Argument> all = passed;
    if (const int* number = std::get_if<int>(&row.last))
      all.push_back({int64_t{*number}, span, true});
    if (const char* const* word = std::get_if<const char*>(&row.last))
      all.push_back({std::string(*word), span, true});
    const Builtin& builtin = *find_builtin(row.text);
    KeywordArguments keywords;
    if (row.treatment == Treatment::calls_masked && !all.empty()) {
      keywords.emplace_back("mask", all.front());
      all.erase(all.begin());
    }
    const bool updates =
        std::any_of(builtin.parameters.begin(), builtin.parameters.end(),
                    [](const Parameter& parameter) { return parameter.name == "return_prev"; });
    if (updates && result) keywords.emplace_back("return_prev", Argument{true, span, true});
    value = e.call_builtin(builtin, std::move(all), keywords, span);
    if (value.poisoned()) return {};
  }
  if (!result || value.is<None>()) return value;
  const Expr converted = e.to_dtype(value, *result, span);
  return converted ? Value(converted) : Value();
}

/// T.call_extern("float32", "name", x), T.call_extern("name", x, dtype="float32").
Value Elaborator::on_call_extern(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  std::vector<Argument> passed = args.rest;
  const auto next = [&](const char* name) {
    if (args.has(name)) return args[name];
    if (passed.empty()) return Argument{};
    Argument first = passed.front();
    passed.erase(passed.begin());
    return first;
  };
  const Argument dtype = next("dtype"), given = next("func_name");
  const auto* name = given.value.get<std::string>();
  if (!dtype.given || !name || name->empty()) {
    const std::string help = "`" + args.row->shown() + "(\"float32\", \"name\", x)`";
    if (!dtype.given || !given.given)
      report(Diag::call_missing, args.span, args.row->shown(), dtype.given ? "func_name" : "dtype")
          .help(help);
    else if (!given.value.poisoned())
      report(Diag::static_needed, given.span, "the name of the function of " + args.row->shown(),
             describe(given.value))
          .help(help);
    return {};
  }
  std::optional<DType> result;
  if (!is_void(dtype.value)) {
    result = dtype_of(dtype.value, dtype.span);
    if (!result) return {};
  }
  if (args.span == discarded_) result.reset();
  if (is_known(*name)) return ForeignCall::known(*this, *name, passed, result, args.span);
  return ForeignCall(*this, *name, result, args.span).emit(std::move(passed));
}

/// T.call_intrin("float32", "tir.exp", x): an operation of TVM that is a function of the language.
Value Elaborator::on_call_intrin(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  args["dtype"];
  const Argument& op = args["op"];
  const auto* text = op.value.get<std::string>();
  std::string name = text ? *text : "";
  if (!text && op.value.is<HostRef>()) {
    const HostResult found = host_.attribute(op.value, "name");
    if (const auto* held = found.ok() ? found.value.get<std::string>() : nullptr) name = *held;
  }
  const Builtin* row = find_builtin(last_part(name));
  if (!row || row->of_python()) {
    report(Diag::builtin_unknown, op.span, name.empty() ? describe(op.value) : "`" + name + "`")
        .help("call a function of T; T.call_extern calls functions of CUDA and of T.import_source");
    return {};
  }
  return call_builtin(*row, args.rest, {}, args.span);
}

}  // namespace tilelab::elaborate
