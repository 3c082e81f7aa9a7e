// SPDX-License-Identifier: Apache-2.0
// Processes that a cell forks: they have the session's variables, but neither its front end nor its
// threads. What they print goes to the file descriptors, and they end where the cell ends.
#pragma once

namespace tilelab {

/// Prepares every fork from now on. Once a process.
void watch_forks();
/// This process is such a child.
bool is_forked();

}  // namespace tilelab
