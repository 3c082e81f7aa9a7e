// SPDX-License-Identifier: Apache-2.0
// Bytes to and from Python, whose values cross as text: byte n is the character U+00nn, as in
// Latin-1.
#pragma once

#include <string>

namespace tilelab {

inline std::string text_of_bytes(const std::string& bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 2);
  for (unsigned char byte : bytes) {
    if (byte >= 0x80) text += char(0xc0 | byte >> 6);
    text += byte < 0x80 ? char(byte) : char(0x80 | (byte & 0x3f));
  }
  return text;
}

inline std::string bytes_of_text(const std::string& text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char first = static_cast<unsigned char>(text[i]);
    bool alone = first < 0x80 || i + 1 == text.size();
    bytes += alone ? text[i] : char((first & 0x03) << 6 | (text[++i] & 0x3f));
  }
  return bytes;
}

}  // namespace tilelab
