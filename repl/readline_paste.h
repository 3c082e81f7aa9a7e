// SPDX-License-Identifier: Apache-2.0
// Text that comes in one piece: between a terminal's marks, or as keys faster than a person's.
#pragma once

namespace tilelab {

/// Takes what a terminal pastes between its marks, with whatever ends of lines it has.
int begin_paste(int count, int key);
/// A paste without marks: its lines bring their own indentation, and nothing of it runs before its
/// end. Enter, which by itself would run the cell or not, begins one where many keys wait behind it
/// and the next line is indented, or the cell begins with a prompt that was copied with it.
bool paste_begins(bool runs);
/// Enter is the end of a line in it.
bool paste_goes_on();
/// More keys wait than a hand can have typed.
bool comes_in_one_piece();

}  // namespace tilelab
