// SPDX-License-Identifier: Apache-2.0
// Threads that are kept: to make one takes 20 us, to wake one 4. They take no signals, begin with
// the default floating-point environment, and are made when one is needed and none waits. Nobody
// ends them: they wait on memory that is never freed, so the end of the process may come any time.
// After fork() the child has none and makes its own.
#pragma once

#include <semaphore.h>

#include <exception>

#include "core/support/function_ref.h"

namespace tilelab {

/// A call that another thread makes. What `work` refers to lives as long as this.
class SideTask {
 public:
  /// Begins. Where the system has no thread to give, `work` runs here, before this returns.
  explicit SideTask(FunctionRef<void()> work);
  /// Waits until `work` has returned.
  ~SideTask();
  SideTask(const SideTask&) = delete;

  /// Whether `work` has returned; false when a signal came or the time passed before. One thread
  /// waits.
  bool wait_for(long milliseconds);
  void wait();
  /// What `work` threw. Only after it has returned.
  std::exception_ptr failed() const { return failed_; }
  /// True: `work` had not begun and never will. False: it has.
  bool call_off();
  /// In a child that was forked meanwhile: `work` runs in the parent only, and waiting would not
  /// end.
  bool lost() const;

 private:
  friend struct Worker;
  void run();

  FunctionRef<void()> work_;
  struct Worker* worker_ = nullptr;
  sem_t done_;
  bool over_ = false;
  unsigned process_;
  std::exception_ptr failed_;
};

/// Calls `work` here and beside it in at most `more` other threads. Those that have not begun when
/// the call here returns do not begin any more; the others are waited for. `work` throws nothing.
void run_together(int more, FunctionRef<void()> work);

}  // namespace tilelab
