// SPDX-License-Identifier: Apache-2.0
#include "python/runs.h"

#include <Python.h>

#include "core/support/interrupt.h"
#include "core/support/workers.h"
#include "python/gil.h"

namespace tilelab::python {

// A signal for this thread ends its wait at once. This interval is for one received by another
// thread.
constexpr long kPollMilliseconds = 10;

bool serve(FunctionRef<void(const std::atomic<bool>& stop)> work) {
  auto nothing = [] { return true; };
  return serve(work, nothing);
}

bool serve(FunctionRef<void(const std::atomic<bool>& stop)> work, FunctionRef<bool()> tick) {
  // First handle a pending interrupt; its flag may have outlived a KeyboardInterrupt that the
  // user's code caught.
  interrupt_flag.store(false, std::memory_order_relaxed);
  if (PyErr_CheckSignals() < 0) return false;
  std::atomic<bool> stop{false};
  auto call = [&] { work(stop); };
  bool good = true;
  std::exception_ptr failed;
  PyThreadState* thread = PyEval_SaveThread();
  {
    SideTask task(call);
    while (good && !task.wait_for(kPollMilliseconds)) {
      take_gil_again(thread);
      good = PyErr_CheckSignals() >= 0 && tick();
      if (good && task.lost()) {  // a handler has forked, and this is the child
        PyErr_SetString(PyExc_RuntimeError, "this work continues only in the parent process");
        good = false;
      }
      thread = PyEval_SaveThread();
    }
    stop.store(!good, std::memory_order_relaxed);
    task.wait();
    failed = task.failed();
  }
  take_gil_again(thread);
  if (failed) {
    PyErr_Clear();
    std::rethrow_exception(failed);
  }
  return good;
}

}  // namespace tilelab::python
