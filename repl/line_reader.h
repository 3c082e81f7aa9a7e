// SPDX-License-Identifier: Apache-2.0
// Reads one line (or a pasted or recalled block) from the user: with GNU readline, or without.
#pragma once

#include <memory>
#include <string>

#include "session/session.h"

namespace tilelab {

struct LineRequest {
  std::string prompt, continuation;  // first line, continuation lines
  std::string prefill;               // initial text: an indentation, or a %load'ed cell
  std::string before;                // the lines of the cell above this one, for completion
  bool is_cell = true;               // history and completion; false for input()
  bool color = false;
};

class LineReader {
 public:
  enum class Outcome { line, interrupted, end };
  virtual ~LineReader() = default;
  /// Whether read() returns whole cells; otherwise lines, which the caller joins.
  virtual bool reads_cells() const { return false; }
  /// Reads into `line`, without the final newline. A paste may contain newlines.
  virtual Outcome read(const LineRequest& request, std::string& line) = 0;
  virtual void add_history(const std::string& text) = 0;
  /// Prints text of another thread above the prompt. Any thread; false: no prompt is active.
  virtual bool print_above(const std::string& text) = 0;
};

/// Reads standard input line by line, also if it is not a terminal.
std::unique_ptr<LineReader> make_plain_reader();
/// Line editing, completion through `session`, history; null in builds without readline.
std::unique_ptr<LineReader> make_readline_reader(Session& session);

}  // namespace tilelab
