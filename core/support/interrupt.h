// SPDX-License-Identifier: Apache-2.0
// One flag with which a user ends long work: the simulator, the compiler and every other loop of
// ours that can take more than a few milliseconds polls it and returns early.
#pragma once

#include <atomic>

namespace tilelab {

inline std::atomic<bool> interrupt_flag{false};  // set by a signal handler, cleared for each cell
static_assert(std::atomic<bool>::is_always_lock_free);

inline bool interrupted() { return interrupt_flag.load(std::memory_order_relaxed); }

}  // namespace tilelab
