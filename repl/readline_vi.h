// SPDX-License-Identifier: Apache-2.0
// Lines of a cell in vi's command mode. Readline's own functions know one line, the whole text.
#pragma once

namespace tilelab {

/// d, c and y: of lines where they are doubled or followed by j, k or G; else readline's.
int vi_delete_to(int count, int key);
int vi_change_to(int count, int key);
int vi_yank_to(int count, int key);
/// S changes lines, as cc does.
int vi_substitute(int count, int key);
/// p and P put lines below and above the one with the cursor.
int vi_put(int count, int key);
/// The last change once more.
int vi_redo(int count, int key);
int vi_open_below(int count, int key);
int vi_open_above(int count, int key);
int vi_join_lines(int count, int key);
int vi_first_line(int count, int key);
/// G: in a cell of several lines the last of them, or that with the number; else the history's.
int vi_last_line(int count, int key);

}  // namespace tilelab
