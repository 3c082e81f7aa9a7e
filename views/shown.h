// SPDX-License-Identifier: Apache-2.0
// What a view gives: the same content in four forms, and the small tools that write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/width.h"

namespace tilelab {

/// `text` is complete and at most page_columns() wide; `ansi` is the same with colours, and without
/// the lines that only stand in for them; `html` is static, with inline styles, for untrusted
/// notebooks on light and dark ground.
struct Shown {
  std::string text, ansi, html, json;
  std::string latex;  // of figures
};

/// What a piece of text is; colours are chosen by it.
enum class Tone : uint8_t {
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

/// Text in pieces. All three writers see the same pieces, so they cannot disagree.
class Toned {
 public:
  Toned& add(std::string_view text, Tone tone = Tone::plain);
  /// What colours say in the other forms.
  Toned& add_in_plain(std::string_view text);
  Toned& append(const Toned& other);
  /// The same with lines that are too wide broken, as `hanging` does.
  Toned hanging() const;
  std::string plain() const;
  std::string ansi() const;
  /// The pieces as spans, without an element around them.
  std::string html() const;

 private:
  struct Piece {
    Tone tone;
    std::string text;
    bool only_plain = false;
  };
  std::vector<Piece> pieces_;
};

/// Lines that are too wide are broken at blanks. Their rest stands below the second column of the
/// line ("%name   what it does") where it has one, else a step further in.
std::string hanging(std::string_view text);

/// A <pre> that scrolls sideways instead of breaking lines.
std::string html_pre(const std::string& inner);

/// Rows of cells under heads; a column whose head starts with '>' is aligned to the right. The last
/// column is broken into several lines where the table would be wider than a page; where the others
/// leave it no room, the cells of a row follow each other in as many lines as they take, each
/// behind its head.
struct ViewTable {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;

  std::string text() const;
  std::string html() const;

 private:
  std::string flowing_text() const;
};

}  // namespace tilelab
