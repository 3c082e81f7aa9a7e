// SPDX-License-Identifier: Apache-2.0
// Text inside HTML.
#pragma once

#include <string>
#include <string_view>

namespace tilelab {

/// For the inside of an element: escapes & < > and quotes. A dollar sign gets an element of its
/// own, for notebooks take text between two of them for mathematics; so not for attributes.
std::string html_text(std::string_view text);

}  // namespace tilelab
