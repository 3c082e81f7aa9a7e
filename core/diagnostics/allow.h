// SPDX-License-Identifier: Apache-2.0
// Warnings that a user disables: on one line by a comment, in one kernel by T.allow or the pass
// configuration `tilelab.allow`, or everywhere by %warnings or TILELAB_ALLOW. is_allowed is the
// only filter for displayed warnings.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/support/span.h"

namespace tilelab {

/// The pass configuration, a comma-separated list of names.
inline constexpr const char* kAllowed = "tilelab.allow";

/// Whether a warning is disabled. `in_kernel`: the names that its kernel disables.
bool is_allowed(std::string_view name, const Span& span, std::string_view in_kernel);
/// The messages without disabled warnings.
Diagnostics without_allowed(const Diagnostics& messages, std::string_view in_kernel);
/// The list `names` with another name added.
std::string with_allowed(std::string_view names, std::string_view name);

/// The globally disabled names, in alphabetical order.
std::vector<std::string> allowed_everywhere();
void allow_everywhere(std::string_view name, bool allowed);

/// Advice for a name that is not a warning; "" for a warning.
std::string unknown_warning(std::string_view name);
/// The names in comments of a function, with their locations.
std::vector<std::pair<Span, std::string>> names_in_comments(const Span& function);

}  // namespace tilelab
