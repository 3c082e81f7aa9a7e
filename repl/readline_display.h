// SPDX-License-Identifier: Apache-2.0
// What readline's display shows while a cell is edited: all its lines, each behind a prompt, with
// colours, the pair of brackets at the cursor and the suggestion behind it.
#pragma once

#include <string>

namespace tilelab {

struct CellDisplay {
  std::string prompt, continuation;
  bool color = false;
  std::string message;  // in the place of the prompt: what a search looks for
};

/// The terminal can be drawn on: its cursor moves up, as ANSI says.
bool can_display_cells();
/// Draws cells from now on (`display`, which stays alive), or leaves a line to readline (null).
void set_cell_display(CellDisplay* display);
bool displays_cells();
/// Shown in the place of the prompt; "" is the prompt again.
void show_message(const std::string& text);
/// What stands greyed behind the cursor, which must be at the end; or "".
std::string visible_suggestion();
/// The cell stays on the screen as it is, whole, with `mark` behind it; a new line begins.
void leave_cell(const char* mark);
/// The same for good.
void end_cell(const char* mark);
/// Makes room for text above the cell; redraw() shows it again.
void clear_cell();
void clear_screen();
void redraw_cell();
/// Whatever was shown is gone or lies above.
void forget_cell();
/// The terminal's size has changed.
void resize_cell();

}  // namespace tilelab
