// SPDX-License-Identifier: Apache-2.0
// Search through the history by what stands before the cursor, and for a character in the line.
#pragma once

namespace tilelab {

/// Puts our searches in place of readline's own functions wherever keys are bound to them, by
/// default or by the user. Those of readline 8.2 crash: by prefix they free the undo list of a line
/// twice (PageUp, Down, Up, a change, PageUp, Enter), for a character they lose what they wait for
/// (Ctrl-] Escape).
void take_over_searches();

}  // namespace tilelab
