// SPDX-License-Identifier: Apache-2.0
// Guarantees that a kernel ends on request, whatever its user's code does.
#pragma once

namespace tilelab::jupyter {

/// Ends the process `seconds` from now with `exit_status`, unless it ends earlier: for cells,
/// threads and exit handlers that never finish. Only the first call has an effect.
void end_process_within(int seconds, int exit_status);

}  // namespace tilelab::jupyter
