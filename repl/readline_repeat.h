// SPDX-License-Identifier: Apache-2.0
// vi's `.` by keys: what was typed for the last change of a cell is typed once more. (Readline
// repeats its own commands only, and for those that are ours something else.)
#pragma once

namespace tilelab {

/// A line begins: what an earlier one left unfinished is no change.
void begin_changes();
/// Each key that is typed, before readline gets it.
void note_key(char key);
/// After each of readline's commands.
void note_command_end();
/// The next key of a change that is repeated, or -1.
int repeated_key();
bool repeats_change();
/// `.`: False if nothing can be repeated. `count`: in place of the change's own; 0: none.
bool repeat_change(int count);

}  // namespace tilelab
