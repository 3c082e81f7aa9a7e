// SPDX-License-Identifier: Apache-2.0
// Text inside HTML and on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tilelab {

/// Escapes text for element content: & < > and quotes. A dollar sign is wrapped in an element,
/// because notebooks render text between two of them as mathematics; not for attributes.
std::string html_text(std::string_view text);

/// Whether text may contain the ANSI sequences for colors.
enum class TerminalColors : bool { escaped, kept };

/// Text of any origin (names, paths, arguments, messages) as a terminal may show it: newlines and
/// tabs stay, other control characters, invalid UTF-8 and marks that reverse the direction of text
/// are written as \\x1b or \\u202e, so that no terminal acts on them.
std::string terminal_text(std::string_view text, TerminalColors colors = TerminalColors::escaped);

}  // namespace tilelab
