// SPDX-License-Identifier: Apache-2.0
// History while a line is edited: entries by the prefix before the cursor, incremental searches,
// suggestions from earlier lines. All of it uses readline's list with undoable edits, and never
// readline's own searches, which crash in 8.2 (the prefix search frees the undo list of a line
// twice; the incremental one, if it ends with half a key sequence).
#pragma once

#include <string>

namespace tilelab {

/// Starts a new line: nothing is recalled yet.
void begin_history();
/// The entry before (-1) or after (1) the shown one, among those with the prefix that was before
/// the cursor at the start; a changed line keeps its changes until the next line. Moves the cursor
/// to the end of the text, or on the way down to the end of its first line.
int walk_history(int step);
/// The same for any key: the cursor stays after the prefix.
int search_history_backward(int, int);
int search_history_forward(int, int);
int first_of_history(int, int);
int last_of_history(int, int);
/// The line was recalled from the history and no lines were added.
bool recalled_from_history();
/// The continuation of the text's last line in the latest history line with that prefix, if the
/// cursor is at the end; or "".
std::string suggestion();
/// The entry that follows the shown one, for Ctrl-O.
std::string entry_after_shown();

// For searches: entries count from 0; the one after the last is the line being typed.

/// Saves the current text; returns the index of the shown entry.
int begin_walk();
std::string history_text(int place);
void show_history_text(int place);
/// Replaces the whole line and moves the cursor to its end.
void replace_text(const std::string& text);

}  // namespace tilelab
