// SPDX-License-Identifier: Apache-2.0
// Long C++ work that Python's signals can interrupt, both in tilelab's programs and in a plain
// python3: Ctrl-C and any handler that raises (an alarm, a test's timeout).
#pragma once

#include <atomic>

#include "core/support/function_ref.h"

namespace tilelab::python {

/// Called with the GIL. Runs `work` in another thread, while this one releases the GIL and runs
/// Python's signal handlers, which run in Python's main thread only. If one raises, sets `stop`;
/// the work then has to return soon. False: it did, and the Python error is set. Rethrows
/// exceptions of the work. Calls `tick` with the GIL periodically; if it returns false, it has set
/// the error.
bool serve(FunctionRef<void(const std::atomic<bool>& stop)> work, FunctionRef<bool()> tick);
bool serve(FunctionRef<void(const std::atomic<bool>& stop)> work);

}  // namespace tilelab::python
