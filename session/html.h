// SPDX-License-Identifier: Apache-2.0
// Text for HTML and JSON.
#pragma once

#include <string>
#include <string_view>

namespace tilelab {

/// Text for the inside of an element (not for attributes): escapes & < > and quotes. A dollar sign
/// gets an element of its own, for notebooks take text between two of them for mathematics.
std::string html_text(std::string_view text);
/// A JSON string with its quotes.
std::string json_text(std::string_view text);

}  // namespace tilelab
