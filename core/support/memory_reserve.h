// SPDX-License-Identifier: Apache-2.0
// Memory for the time after an allocation has failed: reporting the error needs some, and so do the
// user's next cells, which free what filled the memory.
#pragma once

namespace tilelab {

/// Takes the reserve, and installs a handler of operator new that gives back one part of it each
/// time an allocation fails.
void keep_memory_reserve();
/// Gives back all of it.
void release_memory_reserve();
/// Takes it again, if there is plenty of memory. Returns whether it is complete.
bool refill_memory_reserve();

}  // namespace tilelab
