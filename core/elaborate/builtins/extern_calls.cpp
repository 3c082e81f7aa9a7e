// SPDX-License-Identifier: Apache-2.0
// T.call_extern: foreign functions by name, of which only waits and fences mean something here.
#include <algorithm>
#include <string_view>

#include "core/diagnostics/usage.h"
#include "core/elaborate/elaborator.h"

namespace tilelab::elaborate {

namespace {

struct Extern {
  std::string_view name;
  const char* why;
};

constexpr Extern kExterns[] = {
#define EXTERN(name, why) {name, why},
#define INSTEAD(name, ours)
#include "core/elaborate/builtins/externs.def"
#undef INSTEAD
#undef EXTERN
};

/// What does in the language what a function of CUDA does; null where nothing is known to.
const char* instead_of_extern(std::string_view name) {
  static constexpr Extern kOurs[] = {
#define EXTERN(name, why)
#define INSTEAD(name, ours) {name, ours},
#include "core/elaborate/builtins/externs.def"
#undef INSTEAD
#undef EXTERN
  };
  for (const Extern& row : kOurs)
    if (row.name == name) return row.why;
  return nullptr;
}

}  // namespace

/// T.call_extern("void", "__musa_lma_wait")
Value Elaborator::on_call_extern(Arguments& args) {
  args["dtype"];
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  const auto* name = args["func_name"].value.get<std::string>();
  const auto* known = std::find_if(std::begin(kExterns), std::end(kExterns),
                                   [&](const Extern& e) { return name && e.name == *name; });
  if (known == std::end(kExterns)) {
    Diagnostic& message =
        report(Diag::builtin_refused, args.span, args.row->name)
            .note(
                "Foreign source can't be simulated or checked; write the operation in the "
                "language.");
    if (const char* ours = name ? instead_of_extern(*name) : nullptr)
      message.help("`" + std::string(ours) + "` does what " + *name + " does");
    return {};
  }
  if (told_options_.insert(*name).second)
    report(usage::option_no_effect, args.span, *name).note(known->why);
  return None{};
}

}  // namespace tilelab::elaborate
