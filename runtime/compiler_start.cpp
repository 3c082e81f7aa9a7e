// SPDX-License-Identifier: Apache-2.0
#include "runtime/compiler_start.h"

#include <pthread.h>

#include <mutex>
#include <thread>

#include "core/support/compile_mode.h"
#include "core/support/workers.h"

namespace tilelab::runtime {

namespace {

struct Start {
  const Platform& platform;
  const Target& target;
  const int capability;
  SideTask task{*this};  // last: it uses the others

  void operator()() const { platform.warm_compiler(target, capability); }
};

std::mutex start_mutex;
Start* started = nullptr;  // never destroyed

}  // namespace

void start_compiler(const Platform& platform, const Target& target, int capability) {
  if (!may_compile_code()) return;
  if (std::thread::hardware_concurrency() < 2) return;  // nothing would run in parallel
  const std::lock_guard lock(start_mutex);
  if (started) return;
  started = new Start{platform, target, capability};
  // A forked child would wait for locks of a thread that it lacks. Registered after the handler of
  // the kept threads, so that it runs before that one.
  pthread_atfork(finish_compiler_start, nullptr, nullptr);
}

void finish_compiler_start() {
  const std::lock_guard lock(start_mutex);
  if (started) started->task.wait();
}

}  // namespace tilelab::runtime
