// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rebinding.h"

#include <algorithm>

#include "core/diagnostics/usage.h"

namespace tilelab::elaborate {

bool is_forgotten_index(const Diagnostics& diagnostics, const Binding& binding) {
  const auto& all = diagnostics.all();
  return binding.shadows.known() && std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
           return d.id == usage::buffer_rebound && d.span == binding.span;
         });
}

void allow_rebinding(Diagnostics& diagnostics, const Binding& binding, Symbol name) {
  if (!binding.shadows.known()) return;
  const auto error = diagnostics.take(usage::buffer_rebound, binding.span);
  if (!error) return;
  Diagnostic& warning = diagnostics.report(usage::buffer_shadowed, binding.span, name);
  for (const Label& label : error->labels) warning.label(label.span, label.text);
}

}  // namespace tilelab::elaborate
