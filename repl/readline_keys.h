// SPDX-License-Identifier: Apache-2.0
// Key bindings in a cell that is being edited.
#pragma once

#include <string>

#include "session/session.h"

namespace tilelab {

/// The line or cell that is being read. Readline has one per process, and so does this file.
struct Editing {
  Session* session = nullptr;  // decides whether a cell is complete
  bool whole_cells = false;    // Enter may begin a line of the cell; otherwise it ends the input
  std::string offered;         // indentation that the prompt inserted
  bool typed_lines = false;    // Enter began the last line: an empty one ends the block
  bool end_wanted = false;     // Ctrl-D abandoned a block
  std::string next;            // Ctrl-O: prefill of the next cell
  bool pasting = false;        // input arrives as one piece, without a terminal's markers
};

Editing& editing();
/// Replaces readline's functions, wherever keys are bound to them, by default or by the user's
/// inputrc; and binds keys that neither has bound.
void bind_keys();
/// Begins a line of the cell and moves the text after the cursor there; its blanks become the
/// indentation.
int begin_line();
/// Shows that the line was abandoned.
void abandon_line(const char* mark);
/// Reads never block (poll does): Ctrl-C empties the terminal's queue, so the key that poll has
/// seen may be gone, and a blocking read would take the next one and sleep through the signal.
void prepare_terminal(int eight_bits);
/// At the end of input readline 8.2 would print an empty line here, from then on each time.
void restore_terminal();

}  // namespace tilelab
