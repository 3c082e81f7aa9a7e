// SPDX-License-Identifier: Apache-2.0
// Text inside HTML.
#pragma once

#include <string>
#include <string_view>

namespace tilelab {

/// Escapes text for element content: & < > and quotes. A dollar sign is wrapped in an element,
/// because notebooks render text between two of them as mathematics; not for attributes.
std::string html_text(std::string_view text);

}  // namespace tilelab
