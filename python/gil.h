// SPDX-License-Identifier: Apache-2.0
// Calls that take the GIL, in threads that may outlive Python.
#pragma once

#include <Python.h>
#include <unistd.h>

namespace tilelab::python {

/// Python ends a thread that asks for the GIL of an ended interpreter by pthread_exit. This unwinds
/// its C++ frames without the GIL, and std::terminate ends the process where one of them is being
/// unwound already or throws nothing. Such a thread waits for the end of the process instead, as
/// from Python 3.14 on.
template <class Call> auto never_unwound(Call call) {
  struct Unwound {
    bool by_exit = true;
    ~Unwound() {
      while (by_exit) pause();
    }
  } unwound;
  auto result = call();
  unwound.by_exit = false;
  return result;
}

inline void take_gil_again(PyThreadState* thread) {
  never_unwound([thread] {
    PyEval_RestoreThread(thread);
    return true;
  });
}

}  // namespace tilelab::python
