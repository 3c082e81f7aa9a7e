// SPDX-License-Identifier: Apache-2.0
// The programs that cells have started.
#pragma once

namespace tilelab::jupyter {

/// Ends the members of this process's session, if it leads one, as front ends start kernels;
/// otherwise its descendants in that session. A program that left the session (setsid) stays. First
/// by SIGTERM, then by SIGKILL.
void end_started_processes();

/// Sends SIGINT to the other members of this process's group, if it leads one: clients that
/// interrupt by a message do not signal the group, as a terminal does.
void interrupt_started_processes();

}  // namespace tilelab::jupyter
