// SPDX-License-Identifier: Apache-2.0
// Python that is being typed, unfinished as it may be: what each of its bytes is.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/screen.h"

namespace tilelab {

std::vector<Ink> inks_of(std::string_view text);
/// The bracket under the cursor, or else before it, and its partner; strings and comments have
/// none.
std::optional<std::pair<size_t, size_t>> bracket_pair(std::string_view text,
                                                      const std::vector<Ink>& inks, size_t cursor);

}  // namespace tilelab
