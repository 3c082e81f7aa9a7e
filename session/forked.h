// SPDX-License-Identifier: Apache-2.0
// Processes forked by a cell: they inherit the session's variables, but neither its front end nor
// its threads. Their output goes to the file descriptors, and they end at the end of the cell.
#pragma once

namespace tilelab {

/// Registers fork handlers. Once per process.
void watch_forks();
/// Whether this process is such a child.
bool is_forked();

}  // namespace tilelab
