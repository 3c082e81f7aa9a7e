// SPDX-License-Identifier: Apache-2.0
// A pool of threads: creating one takes 20 us, waking one 4. They block signals, start with the
// default floating-point environment, and are created if none is idle. They never terminate: they
// wait on memory that is never freed, so the process may exit at any time. After fork() the child
// starts with an empty pool.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <exception>

#include "core/support/function_ref.h"

namespace tilelab {

/// A call on another thread. Objects that `work` refers to must outlive this.
class SideTask {
 public:
  /// Starts the task. If no thread can be created, `work` runs here, before this returns.
  explicit SideTask(FunctionRef<void()> work);
  /// Waits until `work` has returned.
  ~SideTask();
  SideTask(const SideTask&) = delete;

  /// Whether `work` has returned; false on a signal or timeout. Only one thread may wait.
  bool wait_for(long milliseconds);
  void wait();
  /// The exception that `work` threw. Only after it has returned.
  std::exception_ptr failed() const { return failed_; }
  /// Cancels the task: true if `work` had not started and never will, false if it has.
  bool cancel();
  /// In a child forked in the meantime: `work` runs only in the parent, and waiting would deadlock.
  bool lost() const;

 private:
  friend struct Worker;
  void run();

  FunctionRef<void()> work_;
  struct Worker* worker_ = nullptr;
  sem_t done_;
  bool over_ = false;
  std::atomic<bool> returned_{false};  // orders its memory as the semaphore does, also for TSan
  unsigned process_;
  std::exception_ptr failed_;
};

/// Calls `work` here and concurrently in at most `more` other threads. Those that have not started
/// when the local call returns are cancelled; the others are joined. `work` must not throw.
void run_concurrently(int more, FunctionRef<void()> work);

}  // namespace tilelab
