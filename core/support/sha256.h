// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4).
#pragma once

#include <string>
#include <string_view>

namespace tilelab {

/// The digest as 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace tilelab
