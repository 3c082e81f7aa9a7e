// SPDX-License-Identifier: Apache-2.0
// Long work of C++ that Python's signals can end: the same in our own programs and in a plain
// python3, for Ctrl-C and for any handler that raises (an alarm, a test's timeout).
#pragma once

#include <atomic>

#include "core/support/function_ref.h"

namespace tilelab::python {

/// Called with the GIL. Runs `work` in another thread, while this one gives the GIL away and
/// serves Python's signal handlers, which run in Python's main thread only. When one raises, `stop`
/// is set; the work then has to return soon. False: it did, and the Python error is set. What the
/// work throws is thrown here. `tick` is called with the GIL all the while; false: it set the
/// error.
bool serve(FunctionRef<void(const std::atomic<bool>& stop)> work, FunctionRef<bool()> tick);
bool serve(FunctionRef<void(const std::atomic<bool>& stop)> work);

}  // namespace tilelab::python
