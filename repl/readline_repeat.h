// SPDX-License-Identifier: Apache-2.0
// vi's `.` by keys: replays the keys of a cell's last change. (Readline repeats only its own
// commands, and custom ones incorrectly.)
#pragma once

namespace tilelab {

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

}  // namespace tilelab
