// SPDX-License-Identifier: Apache-2.0
// Text copied from a session, with prompts and outputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

/// The cells after the prompts of tilelab, Python or IPython, without outputs; a text that begins
/// without a prompt is one cell.
std::vector<std::string> cells_of(std::string_view text);
/// Whether the text begins with such a prompt.
bool is_transcript(std::string_view text);
/// Normalizes line ends to newlines: carriage returns of terminals and other systems, and pairs if
/// each arrived separately.
std::string with_plain_line_ends(std::string_view text);

}  // namespace tilelab
