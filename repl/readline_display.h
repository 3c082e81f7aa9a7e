// SPDX-License-Identifier: Apache-2.0
// Readline's display while a cell is edited: all its lines, each with a prompt, syntax colors, the
// bracket pair at the cursor and the suggestion after it.
#pragma once

#include <string>

namespace tilelab {

struct CellDisplay {
  std::string prompt, continuation;
  bool color = false;
  std::string message;  // replaces the prompt: the text of a search
};

/// Whether the terminal supports drawing: ANSI cursor movement.
bool can_display_cells();
/// Draws cells from now on (`display`, which must stay alive), or leaves drawing to readline
/// (null).
void set_cell_display(CellDisplay* display);
bool displays_cells();
/// Replaces the prompt; "" restores it.
void show_message(const std::string& text);
/// The dimmed text after the cursor, which must be at the end; or "".
std::string visible_suggestion();
/// Leaves the whole cell on the screen, followed by `mark`, and starts a new line.
void leave_cell(const char* mark);
/// The same, finally.
void end_cell(const char* mark);
/// Makes room for text above the cell; redraw() shows the cell again.
void clear_cell();
void clear_screen();
void redraw_cell();
/// The previous frame is gone or above.
void forget_cell();
/// Handles a change of the terminal's size.
void resize_cell();

}  // namespace tilelab
