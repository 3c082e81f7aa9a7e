// SPDX-License-Identifier: Apache-2.0
// How far long work is, for those who wait for it: the work counts its steps in what its thread was
// given.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace tilelab {

struct Progress {
  std::atomic<int64_t> done{0}, all{0};
  std::atomic<const char*> phase{
      nullptr};  // what is done first ("compiled by NVRTC"); null: the work
};

/// Of the work that this thread does; null if nobody waits.
inline thread_local Progress* current_progress = nullptr;

class ProgressScope {
 public:
  explicit ProgressScope(Progress* progress) : outer_(std::exchange(current_progress, progress)) {}
  ~ProgressScope() { current_progress = outer_; }
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;

 private:
  Progress* outer_;
};

/// While it lives, the work of this thread is in that phase. `phase` lasts as long as the program.
class PhaseScope {
 public:
  explicit PhaseScope(const char* phase) { tell(phase); }
  ~PhaseScope() { tell(nullptr); }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  static void tell(const char* phase) {
    if (current_progress) current_progress->phase.store(phase, std::memory_order_relaxed);
  }
};

}  // namespace tilelab
