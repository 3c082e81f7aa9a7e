// SPDX-License-Identifier: Apache-2.0
// What was copied from a session, with its prompts and outputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

/// The cells behind the prompts of our shell, Python's or IPython's, without outputs; a text that
/// begins with no prompt is one cell as it is.
std::vector<std::string> cells_of(std::string_view text);

}  // namespace tilelab
