// SPDX-License-Identifier: Apache-2.0
// Warnings that a kernel disables by message name.
#include "core/diagnostics/allow.h"

#include "core/diagnostics/usage.h"
#include "core/elaborate/elaborator.h"

namespace tilelab::elaborate {

/// T.allow("unread-elements"): suppresses this kernel's warnings of that name.
Value Elaborator::on_allow(Arguments& args) {
  const Attr* before = find_attr(configs_, kAllowed);
  std::string names = before ? before->string : "";
  for (const Argument& given : args.rest) {
    const auto* name = given.value.get<std::string>();
    if (given.value.poisoned()) continue;
    if (!name) {
      report(Diag::static_needed, given.span, "the name of a warning", describe(given.value))
          .help("T.allow(\"unread-elements\")");
      continue;
    }
    if (const std::string unknown = unknown_warning(*name); !unknown.empty())
      report(usage::allow_unknown, given.span, "`" + *name + "`").help(unknown);
    names = with_allowed(names, *name);
  }
  std::erase_if(configs_, [](const Attr& a) { return a.name == Symbol(kAllowed); });
  configs_.push_back(attr(kAllowed, names));
  return None{};
}

/// Warns of comments `# tilelab: allow(NAME)` whose name is not a warning.
void Elaborator::check_comments() {
  const syntax::Node& function = *request_.function;
  Span all = function.span;
  if (!function.body.empty()) all = join(all, function.body.back()->span);
  for (const auto& [span, name] : names_in_comments(all))
    if (const std::string unknown = unknown_warning(name); !unknown.empty())
      report(usage::allow_unknown, span, "`" + name + "`").help(unknown);
}

}  // namespace tilelab::elaborate
