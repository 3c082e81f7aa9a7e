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
/// It begins with such a prompt.
bool is_transcript(std::string_view text);
/// Every end of a line as one newline: carriage returns that terminals and other systems put there,
/// and those twice where each came alone.
std::string with_plain_line_ends(std::string_view text);

}  // namespace tilelab
