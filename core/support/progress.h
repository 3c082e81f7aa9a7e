// SPDX-License-Identifier: Apache-2.0
// Progress of long tasks, for display: the task counts its steps in an object assigned to its
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace tilelab {

struct Progress {
  std::atomic<int64_t> done{0}, all{0};
  std::atomic<const char*> phase{
      nullptr};  // the current phase ("compiled by NVRTC"); null: the main task
};

/// Of the task of this thread; null if progress is not displayed.
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

/// During its lifetime, the thread's task is in that phase. `phase` must outlive the program.
class PhaseScope {
 public:
  explicit PhaseScope(const char* phase) { set_phase(phase); }
  ~PhaseScope() { set_phase(nullptr); }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  static void set_phase(const char* phase) {
    if (current_progress) current_progress->phase.store(phase, std::memory_order_relaxed);
  }
};

}  // namespace tilelab
