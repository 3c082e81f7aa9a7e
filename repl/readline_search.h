// SPDX-License-Identifier: Apache-2.0
// Searches that read keys. Readline's own crash in 8.2: the incremental one if half a key sequence
// ends it, that for a character if it is cancelled; vi's takes quadratic time in an entry's length.
#pragma once

namespace tilelab {

/// Ctrl-R, Ctrl-S: incremental search through the history.
int search_incrementally_backward(int, int);
int search_incrementally_forward(int, int);
/// vi's / and ?: a text, or with ^ a prefix, in the entries; n and N continue.
int vi_search(int, int key);
int vi_search_again(int, int key);
/// Ctrl-]: to the next or previous occurrence of a character in the line.
int to_next_character(int, int);
int to_last_character(int, int);

}  // namespace tilelab
