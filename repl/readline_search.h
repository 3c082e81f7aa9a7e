// SPDX-License-Identifier: Apache-2.0
// Searches that ask for keys. Readline's own crash in 8.2: the incremental one when half a key
// sequence ends it, that for a character when it is given up.
#pragma once

namespace tilelab {

/// Ctrl-R, Ctrl-S: through the history, with each key that is typed.
int search_incrementally_backward(int, int);
int search_incrementally_forward(int, int);
/// Ctrl-]: to the next, or last, place of a character in the line.
int to_next_character(int, int);
int to_last_character(int, int);

}  // namespace tilelab
