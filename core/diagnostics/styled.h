// SPDX-License-Identifier: Apache-2.0
// Text with semantic styles; rendered as plain text, for a terminal, or as HTML.
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
  /// Appends `text`, escaped for terminals; a newline is part of the text.
  StyledText& add(std::string_view text, Style style = Style::plain);
  StyledText& append(const StyledText& other);

  std::string plain() const;
  /// With ANSI escapes (the 16 standard colors).
  std::string ansi() const;
  /// One <pre> with inline styles, readable on light and dark backgrounds; no script, no class.
  std::string html() const;

 private:
  struct Piece {
    Style style;
    std::string text;
  };
  std::vector<Piece> pieces_;
};

}  // namespace tilelab
