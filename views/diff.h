// SPDX-License-Identifier: Apache-2.0
// Line-by-line differences of two texts, with unchanged sections collapsed.
#pragma once

#include <utility>

#include "views/shown.h"

namespace tilelab {

struct LineDiff {
  enum class What : uint8_t { same, removed, added };
  struct Line {
    What what;
    std::string text;
    /// Characters that the matching line of the other side lacks: [begin, end).
    std::vector<std::pair<size_t, size_t>> changed;
  };
  std::vector<Line> lines;
  int added = 0, removed = 0;

  bool empty() const { return added == 0 && removed == 0; }
  /// "=", "~3" (as many removed as added), "+9", "-2", "+9 -2".
  std::string count() const;
};

/// The shortest edit script (Myers 1986, An O(ND) Difference Algorithm) between the lines of two
/// texts.
LineDiff diff_lines(std::string_view before, std::string_view after);

/// One part of a diff: a pass, or the only part of a comparison.
struct DiffPart {
  std::string title;  // "select_instructions", "add#1 -> add#2"
  LineDiff diff;
};

/// Marks the words in which removed and added lines of a section differ from their counterparts.
void mark_words(LineDiff& diff);

/// Unchanged parts are listed in one line; `context` lines around each change are kept.
Shown show_diff(const std::string& title, std::vector<DiffPart> parts, int context = 3);

}  // namespace tilelab
