// SPDX-License-Identifier: Apache-2.0
// The Jupyter kernel: one Session with the five sockets of a connection file.
#pragma once

#include <string>

namespace tilelab {

/// Serves the notebook until it is shut down, its parent dies or the user calls exit(n). Returns
/// the exit status of the process: 0, or n. Throws std::runtime_error if the connection file cannot
/// be read or its ports are in use. Call it from the main thread, before any other thread exists:
/// signal masks are inherited.
int run_kernel(const std::string& connection_file);

}  // namespace tilelab
