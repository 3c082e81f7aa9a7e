// SPDX-License-Identifier: Apache-2.0
// The history while a line is edited: entries by what stands before the cursor, searches that go on
// with each key, what an earlier line suggests. All of it works on a list that readline keeps, with
// edits that it can undo, and never by readline's own searches, which crash in 8.2 (by prefix they
// free the undo list of a line twice; the incremental one, when its end is half a key sequence).
#pragma once

#include <string>

namespace tilelab {

/// A new line is being read: nothing is recalled yet.
void begin_history();
/// The entry before (-1) or after (1) the one that is shown, among those that begin with what stood
/// before the cursor when the walk began; a line that was changed keeps its changes until the next.
/// The cursor goes to the end of the text, or on the way down to that of its first line.
int walk_history(int step);
/// The same for any key: the cursor stays behind the prefix.
int search_history_backward(int, int);
int search_history_forward(int, int);
int first_of_history(int, int);
int last_of_history(int, int);
/// The line came from the history and has not got lines since.
bool recalled_from_history();
/// What the latest line of the history that begins as the last line of the text goes on with, where
/// the cursor is at the end; or "".
std::string suggestion();
/// The entry that follows the one that is shown, for Ctrl-O.
std::string entry_after_shown();

// For searches: places count from 0; behind the last entry is the line that is being typed.

/// Keeps what the line has now; gives the place of the entry that is shown.
int begin_walk();
std::string history_text(int place);
void show_history_text(int place);
/// Another text for the whole line, with the cursor at its end.
void replace_text(const std::string& text);

}  // namespace tilelab
