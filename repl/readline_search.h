// SPDX-License-Identifier: Apache-2.0
// Searches that ask for keys. Readline's own crash in 8.2: the incremental one when half a key
// sequence ends it, that for a character when it is given up; that of vi takes the square of an
// entry's length.
#pragma once

namespace tilelab {

/// Ctrl-R, Ctrl-S: through the history, with each key that is typed.
int search_incrementally_backward(int, int);
int search_incrementally_forward(int, int);
/// vi's / and ?: a text, or with ^ before it the begin of one, in the entries; n and N look on.
int vi_search(int, int key);
int vi_search_again(int, int key);
/// Ctrl-]: to the next, or last, place of a character in the line.
int to_next_character(int, int);
int to_last_character(int, int);

}  // namespace tilelab
