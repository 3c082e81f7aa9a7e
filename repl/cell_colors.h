// SPDX-License-Identifier: Apache-2.0
// Syntax highlighting of Python while it is typed, possibly incomplete: the kind of each byte.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/screen.h"

namespace tilelab {

std::vector<Ink> inks_of(std::string_view text);
/// The bracket under the cursor, otherwise before it, and the matching one; strings and comments
/// have none.
std::optional<std::pair<size_t, size_t>> bracket_pair(std::string_view text,
                                                      const std::vector<Ink>& inks, size_t cursor);

}  // namespace tilelab
