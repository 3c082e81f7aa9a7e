// SPDX-License-Identifier: Apache-2.0
// Search through the history by what stands before the cursor.
#pragma once

namespace tilelab {

/// Puts our search in place of readline's own functions wherever keys are bound to them, by default
/// or by the user: those of readline 8.2 free the undo list of a line twice (PageUp, Down, Up, a
/// change, PageUp, Enter).
void take_over_history_search();

}  // namespace tilelab
