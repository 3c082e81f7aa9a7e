// SPDX-License-Identifier: Apache-2.0
// Disabled warnings, for code that shows warnings and for %warnings.
#include "core/diagnostics/allow.h"
#include "python/object.h"

namespace tilelab::python {
namespace {

bool allowed_at(const std::string& name, const std::string& file, uint32_t line,
                const std::string& in_kernel) {
  Span at;
  if (line > 0) at = {source_id(file), line, 1, line, 1};
  return is_allowed(name, at, in_kernel);
}

}  // namespace

void bind_allow(const Object& module) {
  add_functions(module, {function<allowed_at>("is_allowed", "name, file, line, in_kernel"),
                         function<allowed_everywhere>("allowed_everywhere"),
                         function<allow_everywhere>("allow_everywhere", "name, allowed"),
                         function<unknown_warning>("unknown_warning", "name")});
}

}  // namespace tilelab::python
