// SPDX-License-Identifier: Apache-2.0
// What keys do in a cell that is being edited.
#pragma once

#include <string>

#include "session/session.h"

namespace tilelab {

/// The line or cell that is being read. Readline has one in a process, and so have we.
struct Editing {
  Session* session = nullptr;  // says whether a cell is complete
  bool whole_cells = false;    // Enter may begin a line of the cell; else it ends what is read
  std::string offered;         // indentation that the prompt put there
  bool typed_lines = false;    // Enter began the last line: an empty one ends the block
  bool end_wanted = false;     // Ctrl-D gave a block up
  std::string next;            // Ctrl-O: what the next cell begins with
  bool pasting = false;        // text comes in one piece, without a terminal's marks
};

Editing& editing();
/// Our functions in the place of readline's, wherever keys are bound to these, by default or by the
/// user's inputrc; and keys that neither has bound.
void bind_keys();
/// Begins a line of the cell. What the cursor stands before goes there; its blanks become the
/// indentation.
int begin_line();
/// Shows that the line ends here without having been entered.
void give_up_line(const char* mark);
/// A read never waits (poll does): Ctrl-C empties the terminal's queue, so the key that poll has
/// seen may be gone, and a read that waited would take the next one and sleep through the signal.
void prepare_terminal(int eight_bits);
/// After an end of the input readline 8.2 would write an empty line here, from then on each time.
void restore_terminal();

}  // namespace tilelab
