// SPDX-License-Identifier: Apache-2.0
// A worker's task is claimed by exchanging the pointer for null: by the worker that starts it, or
// by the owner that cancels it. The claimant returns the worker to the idle list, so a worker may
// be woken for a cancelled task or for a later one; it runs whatever task is present.
#include "core/support/workers.h"

#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <ctime>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

namespace tilelab {
namespace {

struct Pool {
  std::mutex mutex;
  Worker* idle = nullptr;
  std::atomic<unsigned> process{0};  // number of forks since the first process

  Worker* take();
  void put(Worker* worker);
};

/// Never destroyed: workers wait on it at process exit.
Pool& pool() {
  static Pool* made = [] {
    pthread_atfork([] { pool().mutex.lock(); }, [] { pool().mutex.unlock(); },
                   [] {
                     pool().idle = nullptr;
                     ++pool().process;
                     pool().mutex.unlock();
                   });
    return new Pool;
  }();
  return *made;
}

/// Threads created during its lifetime block all signals except faults and the profiler's.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF})
      sigdelset(&all, own);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

/// Whether there is only one core, where spinning would delay the other thread. Computed when the
/// library is loaded: with a function-local static, a child forked during its initialization would
/// wait for a thread that does not exist there.
const bool single_core = std::thread::hardware_concurrency() < 2;

/// Spins for up to 50 us, about the time to wake a sleeping core, so that consecutive calls avoid
/// it; returns whether the semaphore was posted.
bool posted_soon(sem_t& semaphore) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  do {
    if (sem_trywait(&semaphore) == 0) return true;
    std::this_thread::yield();
  } while (!single_core && std::chrono::steady_clock::now() < until);
  return false;
}

void wait_through_signals(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0 && errno == EINTR) {
  }
}

}  // namespace

struct Worker {
  std::atomic<SideTask*> task{nullptr};
  Worker* next_idle = nullptr;
  sem_t begin;

  Worker() { sem_init(&begin, 0, 0); }
  ~Worker() { sem_destroy(&begin); }

  [[noreturn]] void loop() {
    std::fesetenv(FE_DFL_ENV);
    for (;;) {
      if (!posted_soon(begin)) wait_through_signals(begin);
      if (SideTask* taken = task.exchange(nullptr)) taken->run();
    }
  }
};

namespace {

Worker* Pool::take() {
  std::lock_guard lock(mutex);
  Worker* first = idle;
  if (first) idle = first->next_idle;
  return first;
}

void Pool::put(Worker* worker) {
  std::lock_guard lock(mutex);
  worker->next_idle = idle;
  idle = worker;
}

/// Null if the system cannot create a thread.
Worker* new_worker() {
  SignalsBlocked blocked;
  auto* made = new Worker;
  try {
    std::thread([made] { made->loop(); }).detach();
    return made;
  } catch (const std::system_error&) {
    delete made;
    return nullptr;
  }
}

}  // namespace

SideTask::SideTask(FunctionRef<void()> work) : work_(work), process_(pool().process) {
  sem_init(&done_, 0, 0);
  worker_ = pool().take();
  if (!worker_) worker_ = new_worker();
  if (!worker_) {
    run();
    return;
  }
  worker_->task.store(this);
  sem_post(&worker_->begin);
}

SideTask::~SideTask() {
  wait();
  sem_destroy(&done_);
}

void SideTask::run() {
  try {
    work_();
  } catch (...) {
    failed_ = std::current_exception();
  }
  if (worker_) pool().put(worker_);  // first, since the notified owner may need a worker
  returned_.store(true, std::memory_order_release);
  sem_post(&done_);
}

bool SideTask::wait_for(long milliseconds) {
  if (over_ || posted_soon(done_)) return over_ = true;
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += milliseconds / 1000;
  until.tv_nsec += milliseconds % 1000 * 1'000'000;
  if (until.tv_nsec >= 1'000'000'000) until.tv_nsec -= 1'000'000'000, ++until.tv_sec;
  return over_ = sem_clockwait(&done_, CLOCK_MONOTONIC, &until) == 0 &&
                 returned_.load(std::memory_order_acquire);
}

void SideTask::wait() {
  if (!over_ && !lost()) wait_through_signals(done_);
  over_ = true;
}

bool SideTask::cancel() {
  SideTask* self = this;
  if (over_ || !worker_ || !worker_->task.compare_exchange_strong(self, nullptr)) return false;
  pool().put(worker_);
  return over_ = true;
}

bool SideTask::lost() const { return process_ != pool().process; }

void run_concurrently(int more, FunctionRef<void()> work) {
  std::deque<SideTask> beside;
  for (int i = 0; i < more; ++i) beside.emplace_back(work);
  work();
  for (SideTask& task : beside) task.cancel();
}

}  // namespace tilelab
