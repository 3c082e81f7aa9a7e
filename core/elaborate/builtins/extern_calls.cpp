// SPDX-License-Identifier: Apache-2.0
// T.call_extern: foreign functions by name. Waits for copies and matmuls map to builtins; functions
// without an effect here are accepted; others are rejected.
#include <algorithm>
#include <optional>
#include <string_view>

#include "core/diagnostics/usage.h"
#include "core/elaborate/elaborator.h"

namespace tilelab::elaborate {

namespace {

enum class Treatment : uint8_t { calls, no_effect };

struct Extern {
  std::string_view name;
  Treatment treatment;
  const char* text;  // the builtin or the reason
  std::optional<int64_t> argument = std::nullopt;
};

constexpr Extern kExterns[] = {
#define CALLS(name, builtin, ...) {name, Treatment::calls, builtin __VA_OPT__(, ) __VA_ARGS__},
#define EXTERN(name, why) {name, Treatment::no_effect, why},
#include "core/elaborate/builtins/externs.def"
#undef EXTERN
#undef CALLS
};

}  // namespace

/// T.call_extern("void", "__musa_memcpy_g2s_wait")
Value Elaborator::on_call_extern(Arguments& args) {
  args["dtype"];
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  const auto* given = args["func_name"].value.get<std::string>();
  const std::string name = given ? *given : "";
  const auto named = [&](const Extern& row) { return row.name == name; };
  const auto* known = std::find_if(std::begin(kExterns), std::end(kExterns), named);
  if (known == std::end(kExterns)) {
    Diagnostic& message =
        report(Diag::builtin_refused, args.span, args.row->name)
            .note(
                "Foreign source cannot be simulated or checked; write the operation in the "
                "language.");
    if (std::string ours = instead_of(name); !ours.empty()) message.help(ours);
    return {};
  }
  if (known->treatment == Treatment::no_effect) {
    if (reported_options_.insert(name).second)
      report(usage::option_no_effect, args.span, name).note(known->text);
    return None{};
  }
  for (; known != std::end(kExterns) && named(*known); ++known) {
    std::vector<Argument> passed = args.rest;
    if (known->argument) passed.push_back({*known->argument, args.span, true});
    if (call_builtin(*find_builtin(known->text), std::move(passed), {}, args.span).poisoned())
      return {};
  }
  return None{};
}

}  // namespace tilelab::elaborate
