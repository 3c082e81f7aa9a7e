// SPDX-License-Identifier: Apache-2.0
// The result of a view: the same content in four formats, and helpers to write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/styled.h"
#include "core/support/width.h"

namespace tilelab {

/// `text` is complete and at most page_columns() wide; `ansi` is the same with colors, without the
/// lines that replace colors; `html` is static, with inline styles, for untrusted notebooks on
/// light and dark backgrounds.
struct Shown {
  std::string text, ansi, html, json;
  std::string latex;  // of figures
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
