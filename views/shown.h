// SPDX-License-Identifier: Apache-2.0
// The result of a view: the same content in four formats, and helpers to write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/width.h"

namespace tilelab {

/// `text` is complete and at most page_columns() wide; `ansi` is the same with colors, without the
/// lines that replace colors; `html` is static, with inline styles, for untrusted notebooks on
/// light and dark backgrounds.
struct Shown {
  std::string text, ansi, html, json;
  std::string latex;  // of figures
};

/// The role of a piece of text, which determines its color.
enum class TextRole : uint8_t {
  plain,
  dim,
  strong,
  keyword,
  type,
  string,
  number,
  added,
  removed,
  added_word,
  removed_word,
  bad
};

/// Text in styled pieces. All three writers use the same pieces, so they agree.
class RichText {
 public:
  /// Appends text, escaped for terminals.
  RichText& add(std::string_view text, TextRole role = TextRole::plain);
  /// Text that replaces colors in the other formats.
  RichText& add_in_plain(std::string_view text);
  RichText& append(const RichText& other);
  /// Wraps lines that are too wide, as `hanging` does.
  RichText hanging() const;
  std::string plain() const;
  std::string ansi() const;
  /// The pieces as spans, without an enclosing element.
  std::string html() const;

 private:
  struct Piece {
    TextRole role;
    std::string text;
    bool only_plain = false;
  };
  std::vector<Piece> pieces_;
};

/// Wraps lines that are too wide at blanks. Continuation lines start below the second column of the
/// line ("%name   what it does") if it has one, otherwise one step further in.
std::string hanging(std::string_view text);

/// A <pre> that scrolls horizontally instead of wrapping lines.
std::string html_pre(const std::string& inner);

/// Rows of cells under heads; a column whose head starts with '>' is right-aligned. The last column
/// wraps if the table is wider than a page; if the others leave it no room, the cells of a row are
/// written one after the other, each after its head, on as many lines as needed.
struct ViewTable {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;

  std::string text() const;
  std::string html() const;

 private:
  std::string flowing_text() const;
};

}  // namespace tilelab
