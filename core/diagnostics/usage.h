// SPDX-License-Identifier: Apache-2.0
// The messages of usage.def, the total number of messages, their earlier names and examples.
#pragma once

#include "core/diagnostics/diagnostics.h"

namespace tilelab {

/// Values that continue Diag: report(usage::option_ignored, ...).
namespace usage {
enum Row : uint16_t {
  before_first = static_cast<uint16_t>(Diag::count_) - 1,
#define DIAGNOSTIC(name, severity, message, explanation) name##_row,
#include "core/diagnostics/usage.def"
#undef DIAGNOSTIC
  end
};
#define DIAGNOSTIC(name, severity, message, explanation) \
  constexpr Diag name = static_cast<Diag>(name##_row);
#include "core/diagnostics/usage.def"
#undef DIAGNOSTIC
}  // namespace usage

/// Over both tables: info(static_cast<Diag>(i)) for i below it.
constexpr int diagnostics_count = usage::end;

/// The current name of a message for a name from an earlier version; otherwise the name itself.
std::string_view current_name(std::string_view name);

/// The rendered message or finding of that name from a test, with location and help; "" if no test
/// has one. Generated from the golden texts (examples.py).
std::string_view example_of(std::string_view name);

}  // namespace tilelab
