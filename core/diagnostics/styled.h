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
  // messages
  error,
  warning,
  note,
  help,
  gutter,
  primary,
  secondary,
  // views
  dim,
  keyword,
  type,
  string,
  number,
  added,
  removed,
  added_word,
  removed_word,
};

/// Text in styled pieces. All three writers use the same pieces, so they agree.
class StyledText {
 public:
  /// Appends `text`, escaped for terminals; a newline is part of the text.
  StyledText& add(std::string_view text, Style style = Style::plain);
  /// Text that replaces colors in the other formats.
  StyledText& add_in_plain(std::string_view text);
  StyledText& append(const StyledText& other);
  /// Wraps lines that are too wide, as `hanging` (views/shown.h) does.
  StyledText hanging() const;

  std::string plain() const;
  /// With ANSI escapes (the 16 standard colors).
  std::string ansi() const;
  /// The pieces as spans with inline styles, readable on light and dark backgrounds; no script, no
  /// class, and no enclosing element.
  std::string html() const;

 private:
  struct Piece {
    Style style;
    std::string text;
    bool only_plain = false;
  };
  std::vector<Piece> pieces_;
};

}  // namespace tilelab
