// SPDX-License-Identifier: Apache-2.0
// The session's side of a worker: a process that owns the driver, so that a GPU fault ends only
// that process. It is started on demand, and restarted after its end.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/plan.h"
#include "runtime/worker/protocol.h"

namespace tilelab::runtime {

class Worker {
 public:
  /// The worker of this process, for NVIDIA's driver.
  static Worker& cuda();

  /// Starts one if none runs. "" or the reason why there is no driver.
  std::string start();
  /// The ID of the running one, counted from 1; 0: none runs.
  int life();
  /// Ends the running one, for the given reason.
  void end(const std::string& why);
  /// Why the one with that ID has ended.
  std::string ended(int life);
  /// Why the last one has ended.
  std::string ended();

  /// The driver's table, in which each row calls the worker.
  std::unique_ptr<Driver> driver();
  /// Calls whose API omits a size that another process needs.
  Status load(Module* module, const std::string& image);
  Status launch(Function function, const PlannedLaunch& launch, Stream stream, void* const* params);
  Status copy_in(Address to, const void* from, size_t bytes, Stream stream);
  Status copy_out(void* to, Address from, size_t bytes, Stream stream);
  /// Sets the context of this thread's calls; null: none of this worker.
  void set_context(Context context) { current_ = {life_, context}; }
  Context context() const { return current_.life == life_ ? current_.context : nullptr; }
  /// Sends a call and waits for its response; kEnded if the worker has ended.
  Status ask(worker::Message& message);

 private:
  std::string spawn();
  bool runs();
  Status exchange(worker::Message& message);
  bool answered() const;
  void close_ends();

  struct Current {
    int life;
    Context context;
  };
  static inline thread_local Current current_{0, nullptr};

  std::recursive_mutex mutex_;  // guards what follows: one call at a time
  std::atomic<int> life_{0};
  std::vector<std::string> ends_;  // of the workers, in order
  pid_t child_ = -1, owner_ = -1;
  int socket_ = -1, life_end_ = -1, memory_ = -1;
  char* shared_ = nullptr;
};

}  // namespace tilelab::runtime
