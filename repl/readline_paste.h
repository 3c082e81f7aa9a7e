// SPDX-License-Identifier: Apache-2.0
// Text that arrives as one piece: between a terminal's markers, or as keys faster than typing.
#pragma once

namespace tilelab {

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

}  // namespace tilelab
