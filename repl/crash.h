// SPDX-License-Identifier: Apache-2.0
// The message printed when a cell crashes the process.
#pragma once

namespace tilelab {

/// From now on a fault of this process reports which cell it was and how to restore the earlier
/// cells; the process then ends with the fault's default action.
void report_crashes();
/// Sets the running cell; 0: none.
void set_running_cell(int number);

}  // namespace tilelab
