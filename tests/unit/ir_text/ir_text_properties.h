// SPDX-License-Identifier: Apache-2.0
// Properties of the reader for every text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilelab::test {

/// Empty, or what is wrong. `functions`, if given, counts texts that were functions.
std::string check_ir_text(std::string_view text, int* functions = nullptr);

}  // namespace tilelab::test
