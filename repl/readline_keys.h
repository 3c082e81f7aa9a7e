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

// Lines of a cell in vi's command mode. Readline's functions treat the whole text as one line.

/// d, c and y: on lines if doubled or followed by j, k or G; otherwise readline's.
int vi_delete_to(int count, int key);
int vi_change_to(int count, int key);
int vi_yank_to(int count, int key);
/// S changes lines, as cc does.
int vi_substitute(int count, int key);
/// p and P put lines below and above the cursor's line.
int vi_put(int count, int key);
/// Repeats the last change.
int vi_redo(int count, int key);
int vi_open_below(int count, int key);
int vi_open_above(int count, int key);
int vi_join_lines(int count, int key);
int vi_first_line(int count, int key);
/// G: in a cell of several lines the last one, or that with the number; otherwise the history's.
int vi_last_line(int count, int key);

// Searches that read keys. Readline's own crash in 8.2: the incremental one if half a key sequence
// ends it, that for a character if it is cancelled; vi's takes quadratic time in an entry's length.

/// Ctrl-R, Ctrl-S: incremental search through the history.
int search_incrementally_backward(int, int);
int search_incrementally_forward(int, int);
/// vi's / and ?: a text, or with ^ a prefix, in the entries; n and N continue.
int vi_search(int, int key);
int vi_search_again(int, int key);
/// Ctrl-]: to the next or previous occurrence of a character in the line.
int to_next_character(int, int);
int to_last_character(int, int);

// Text that arrives as one piece: between a terminal's markers, or as keys faster than typing.

/// Inserts what a terminal pastes between its markers, with any line ends.
int begin_paste(int count, int key);
/// Detects a paste without markers: its lines bring their indentation, and nothing of it runs
/// before its end. Enter begins one if many keys are pending and the next line is indented, or if
/// the cell begins with a copied prompt.
bool paste_begins(bool runs);
/// Whether Enter is a line end within a paste.
bool paste_continues();
/// Whether more keys are pending than a typist can produce.
bool is_pasted_text();

// vi's `.` by keys: replays the keys of a cell's last change. (Readline repeats only its own
// commands, and custom ones incorrectly.)

/// Starts a line: drops an incomplete change of an earlier one.
void begin_changes();
/// Records each typed key, before readline gets it.
void note_key(char key);
/// After each of readline's commands.
void note_command_end();
/// The next key of a repeated change, or -1.
int repeated_key();
bool repeats_change();
/// `.`: false if nothing can be repeated. `count`: replaces the change's count; 0: none.
bool repeat_change(int count);

// Completion at the prompt: the session's candidates in readline's form.

void set_completion_session(Session* session);
/// `before`: the lines of the cell above the current one. Disabled in input().
void set_completion_context(bool enabled, const std::string& before, bool color);

}  // namespace tilelab
