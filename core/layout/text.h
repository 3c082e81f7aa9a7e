// SPDX-License-Identifier: Apache-2.0
// Layouts as text, in the form of the IR: digits most significant first, one list per dimension.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/layout/layout.h"

namespace tilelab {

/// `[r(8, 8), t(16, 8)]`
std::string digits_text(const Digits& digits);
/// `[[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]]`
std::string digits_text(const std::vector<Digits>& dims);
/// `frag([128, 128], [[...], [...]], rep=[t(2, 64)], base=128)`, `addr(...)` for address layouts;
/// defaults of rep and base are omitted.
std::string to_text(const Layout& layout);
/// `(16, 256, 15)`
std::string to_text(const Swizzle& swizzle);

/// Parses the output of to_text, or bare digits `[[...], ...]` with an optional `, rep=`, `, base=`
/// (the shape is then the product of the digits). On failure `error` describes what was expected
/// and where.
std::optional<Layout> parse_layout(std::string_view text, std::string* error = nullptr);

}  // namespace tilelab
