// SPDX-License-Identifier: Apache-2.0
// The session's side of a worker: a process of ours that has the driver, so that what ends a GPU's
// work ends that process and nothing else. It is started when it is needed, and again after its
// end.
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
  /// The one of this process, for NVIDIA's driver.
  static Worker& cuda();

  /// Starts one where none runs. "" or why there is no driver.
  std::string start();
  /// Which one runs, counted from 1; 0: none does.
  int life();
  /// Ends the one that runs, for that reason.
  void end(const std::string& why);
  /// Why the one of that number has ended.
  std::string ended(int life);
  /// Why the last one has.
  std::string ended();

  /// The driver's table, of which each row asks the worker.
  std::unique_ptr<Driver> driver();
  /// Those of which the API leaves out a size that another process has to know.
  Status load(Module* module, const std::string& image);
  Status launch(Function function, const PlannedLaunch& launch, Stream stream, void* const* params);
  Status copy_in(Address to, const void* from, size_t bytes, Stream stream);
  Status copy_out(void* to, Address from, size_t bytes, Stream stream);
  /// The context that the calls of this thread are for; null: none of this life.
  void set_context(Context context) { current_ = {life_, context}; }
  Context context() const { return current_.life == life_ ? current_.context : nullptr; }
  /// Sends a call and waits for what it gave; kEnded where there is no worker any more.
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

  std::recursive_mutex mutex_;  // of all that follows: one call at a time
  std::atomic<int> life_{0};
  std::vector<std::string> ends_;  // of the lives, in their order
  pid_t child_ = -1, owner_ = -1;
  int socket_ = -1, life_end_ = -1, memory_ = -1;
  char* shared_ = nullptr;
};

}  // namespace tilelab::runtime
