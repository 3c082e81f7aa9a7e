// SPDX-License-Identifier: Apache-2.0
// A kernel that was told to end does so, whatever its user's code is doing.
#pragma once

namespace tilelab::jupyter {

/// Ends the process `seconds` from now with `exit_status`, unless it has ended by itself: cells
/// that take no interrupt, threads and exit handlers that never come to an end. The first call
/// decides.
void end_process_within(int seconds, int exit_status);

}  // namespace tilelab::jupyter
