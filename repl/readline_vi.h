// SPDX-License-Identifier: Apache-2.0
// Lines of a cell in vi's command mode. Readline's functions treat the whole text as one line.
#pragma once

namespace tilelab {

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

}  // namespace tilelab
