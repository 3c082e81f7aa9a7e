// SPDX-License-Identifier: Apache-2.0
// Loads a compiler's library in the background before the first call.
#pragma once

#include "runtime/platform.h"

namespace tilelab::runtime {

/// Runs Platform::warm_compiler in a background thread, once per process. A fork waits for its end.
void start_compiler(const Platform& platform, const Target& target, int capability);
/// Waits for it: also before exit(), which would destroy the library while it runs.
void finish_compiler_start();

}  // namespace tilelab::runtime
