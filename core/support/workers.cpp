// SPDX-License-Identifier: Apache-2.0
// A worker's task is taken by whoever exchanges the pointer for null: the worker that begins it, or
// the owner who calls it off. The taker puts the worker back among the idle ones, so a worker may
// be woken for a task that is gone, or two tasks later; it takes what is there.
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
  std::atomic<unsigned> process{0};  // forks from the first process to this one

  Worker* take();
  void put(Worker* worker);
};

/// Never destroyed: workers wait on it when the process ends.
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

/// Threads made while it lives take no signals but faults and the profiler's.
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

/// Alone on one core a thread would wait for itself. Asked when the library is loaded: a child that
/// is forked while a thread is at a function's static waits for that thread, which it does not
/// have.
const bool alone = std::thread::hardware_concurrency() < 2;

/// Whether the semaphore came within 50 us: about what a sleeping core takes to wake, so that calls
/// in a row do not pay for it.
bool came_soon(sem_t& semaphore) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  do {
    if (sem_trywait(&semaphore) == 0) return true;
    std::this_thread::yield();
  } while (!alone && std::chrono::steady_clock::now() < until);
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
      if (!came_soon(begin)) wait_through_signals(begin);
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

/// Null: the system has no thread to give.
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
  if (worker_) pool().put(worker_);  // before the owner knows, who may want one at once
  sem_post(&done_);
}

bool SideTask::wait_for(long milliseconds) {
  if (over_ || came_soon(done_)) return over_ = true;
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += milliseconds / 1000;
  until.tv_nsec += milliseconds % 1000 * 1'000'000;
  if (until.tv_nsec >= 1'000'000'000) until.tv_nsec -= 1'000'000'000, ++until.tv_sec;
  return over_ = sem_clockwait(&done_, CLOCK_MONOTONIC, &until) == 0;
}

void SideTask::wait() {
  if (!over_ && !lost()) wait_through_signals(done_);
  over_ = true;
}

bool SideTask::call_off() {
  SideTask* self = this;
  if (over_ || !worker_ || !worker_->task.compare_exchange_strong(self, nullptr)) return false;
  pool().put(worker_);
  return over_ = true;
}

bool SideTask::lost() const { return process_ != pool().process; }

void run_together(int more, FunctionRef<void()> work) {
  std::deque<SideTask> beside;
  for (int i = 0; i < more; ++i) beside.emplace_back(work);
  work();
  for (SideTask& task : beside) task.call_off();
}

}  // namespace tilelab
