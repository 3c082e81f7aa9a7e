// SPDX-License-Identifier: Apache-2.0
// Front ends count code points, C++ counts bytes of UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilelab {

/// Byte offset of code point `points`; the end of the text if there are fewer.
inline size_t byte_offset(std::string_view text, int points) {
  size_t at = 0;
  for (; at < text.size() && points > 0; --points) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  }
  return at;
}

/// Number of code points in the text.
inline int code_points(std::string_view text) {
  int count = 0;
  for (char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return count;
}

}  // namespace tilelab
