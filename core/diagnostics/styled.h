// SPDX-License-Identifier: Apache-2.0
// Text whose pieces have a role; written as plain text, for a terminal, or as HTML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

enum class Style : uint8_t {
  plain,
  strong,
  error,
  warning,
  note,
  help,
  gutter,
  primary,
  secondary
};

class StyledText {
 public:
  /// Appends `text`; a newline is part of the text.
  StyledText& add(std::string_view text, Style style = Style::plain);
  StyledText& append(const StyledText& other);

  std::string plain() const;
  /// With ANSI escapes (the 16 standard colours).
  std::string ansi() const;
  /// One <pre> with inline styles that can be read on light and dark ground; no script, no class.
  std::string html() const;

 private:
  struct Piece {
    Style style;
    std::string text;
  };
  std::vector<Piece> pieces_;
};

}  // namespace tilelab
