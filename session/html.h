// SPDX-License-Identifier: Apache-2.0
// Text for HTML and JSON.
#pragma once

#include <string>
#include <string_view>

namespace tilelab {

/// Escapes & < > and quotes.
std::string html_text(std::string_view text);
/// A JSON string with its quotes.
std::string json_text(std::string_view text);

}  // namespace tilelab
