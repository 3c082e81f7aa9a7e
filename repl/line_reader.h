// SPDX-License-Identifier: Apache-2.0
// One line (or a pasted or recalled block) from a person: with GNU readline, or without.
#pragma once

#include <memory>
#include <string>

#include "session/session.h"

namespace tilelab {

struct LineRequest {
  std::string prompt, continuation;  // before the first line, before the others
  std::string prefill;  // text that is there already: an indentation, or a %load'ed cell
  std::string before;   // the lines of the cell above this one, for completion
  bool is_cell = true;  // history and completion; false for input()
  bool color = false;
};

class LineReader {
 public:
  enum class Outcome { line, interrupted, end };
  virtual ~LineReader() = default;
  /// read() gives whole cells; else lines, which the caller puts together.
  virtual bool reads_cells() const { return false; }
  /// Reads into `line`, without the newline that ended it. A paste may have newlines inside.
  virtual Outcome read(const LineRequest& request, std::string& line) = 0;
  virtual void add_history(const std::string& text) = 0;
  /// Prints text of another thread above the prompt. Any thread; false: nobody is at the prompt.
  virtual bool print_above(const std::string& text) = 0;
};

/// Reads standard input by lines; also where it is no terminal.
std::unique_ptr<LineReader> make_plain_reader();
/// Line editing, completion through `session`, history; null where readline was left out.
std::unique_ptr<LineReader> make_readline_reader(Session& session);

}  // namespace tilelab
