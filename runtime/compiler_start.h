// SPDX-License-Identifier: Apache-2.0
// A compiler's library starts beside what comes before the first call.
#pragma once

#include "runtime/platform.h"

namespace tilelab::runtime {

/// Platform::warm_compiler by a kept thread; once a process. A fork waits for its end.
void start_compiler(const Platform& platform, const Target& target, int capability);
/// Waits for it, too: before exit(), which would end the library at work.
void finish_compiler_start();

}  // namespace tilelab::runtime
