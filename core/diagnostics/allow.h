// SPDX-License-Identifier: Apache-2.0
// Warnings that a user disables: on one line by a comment, in one kernel by T.allow or the pass
// configuration `tilelab.allow`, or everywhere by %warnings or TILELAB_ALLOW. Whoever shows
// warnings asks is_allowed, the only filter.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/support/span.h"

namespace tilelab {

/// The pass configuration, a list of names separated by commas.
inline constexpr const char* kAllowed = "tilelab.allow";

/// Whether a warning is disabled. `in_kernel` has the names that its kernel disables.
bool is_allowed(std::string_view name, const Span& span, std::string_view in_kernel);
/// The messages without the warnings that are disabled.
Diagnostics without_allowed(const Diagnostics& said, std::string_view in_kernel);
/// The list `names` with one more name.
std::string with_allowed(std::string_view names, std::string_view name);

/// What is disabled everywhere, in the order of the alphabet.
std::vector<std::string> allowed_everywhere();
void allow_everywhere(std::string_view name, bool allowed);

/// What to do about a name that is no warning's; "" for a name that is.
std::string unknown_warning(std::string_view name);
/// The names in comments of a function, each with its place.
std::vector<std::pair<Span, std::string>> names_in_comments(const Span& function);

}  // namespace tilelab
