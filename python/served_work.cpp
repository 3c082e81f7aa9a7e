// SPDX-License-Identifier: Apache-2.0
#include "python/served_work.h"

#include <Python.h>

#include <pthread.h>
#include <semaphore.h>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <exception>
#include <system_error>
#include <thread>

#include "core/support/interrupt.h"

namespace tilelab::python {
namespace {

// A signal for this thread ends its wait at once. This is for one that another thread took.
constexpr long kLookMilliseconds = 10;

/// Threads made while it lives never take signals from the ones that serve them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

class Worker {
 public:
  explicit Worker(FunctionRef<void(const std::atomic<bool>&)> work) : work_(work) {
    sem_init(&done_, 0, 0);
    SignalsBlocked blocked;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {  // no thread to be had: then without interrupts
      run();
    }
  }
  ~Worker() {
    if (thread_.joinable()) thread_.join();
    sem_destroy(&done_);
  }
  Worker(const Worker&) = delete;

  /// False when a signal came, or a while has passed.
  bool wait() {
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += kLookMilliseconds * 1'000'000;
    if (until.tv_nsec >= 1'000'000'000) until.tv_nsec -= 1'000'000'000, ++until.tv_sec;
    return sem_clockwait(&done_, CLOCK_MONOTONIC, &until) == 0;
  }
  void stop() {
    stop_.store(true, std::memory_order_relaxed);
    while (sem_wait(&done_) != 0 && errno == EINTR) {
    }
  }
  std::exception_ptr failed;

 private:
  void run() {
    try {
      work_(stop_);
    } catch (...) {
      failed = std::current_exception();
    }
    sem_post(&done_);
  }

  FunctionRef<void(const std::atomic<bool>&)> work_;
  std::atomic<bool> stop_{false};
  sem_t done_;
  std::thread thread_;
};

}  // namespace

bool serve(FunctionRef<void(const std::atomic<bool>& stop)> work) {
  // First one that came on the way here; its flag may have outlived a KeyboardInterrupt that the
  // user's code caught.
  interrupt_flag.store(false, std::memory_order_relaxed);
  if (PyErr_CheckSignals() < 0) return false;
  bool good = true;
  std::exception_ptr failed;
  PyThreadState* thread = PyEval_SaveThread();
  {
    Worker worker(work);
    while (good && !worker.wait()) {
      PyEval_RestoreThread(thread);
      good = PyErr_CheckSignals() >= 0;
      thread = PyEval_SaveThread();
    }
    if (!good) worker.stop();
    failed = worker.failed;
  }
  PyEval_RestoreThread(thread);
  if (failed) {
    PyErr_Clear();
    std::rethrow_exception(failed);
  }
  return good;
}

}  // namespace tilelab::python
