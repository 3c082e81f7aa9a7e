// SPDX-License-Identifier: Apache-2.0
// Runs of kernels on arguments that Python describes.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <span>

#include "core/sim/sim.h"
#include "core/sim/trace.h"
#include "core/support/function_ref.h"
#include "core/support/progress.h"
#include "python/compilation.h"
#include "python/object.h"

namespace tilelab::python {

/// (dtype name, address, shape, strides in elements, bytes[, fresh]), or (dtype name, number).
void read(const Object& described, sim::Argument& out);

using Runner = FunctionRef<sim::RunResult(std::span<const sim::Argument>, const sim::RunOptions&)>;

/// Calls progress(done, all, phase), which may be None; false if that raised.
bool report_progress(const Object& progress, const Progress& far);

/// Runs on the arguments; Python's signals can interrupt it.
Object served_run(const std::vector<sim::Argument>& arguments, sim::RunOptions options,
                  const Object& progress, Runner run);

// Long C++ work that Python's signals can interrupt, both in tilelab's programs and in a plain
// python3: Ctrl-C and any handler that raises (an alarm, a test's timeout).

/// Called with the GIL. Runs `work` in another thread, while this one releases the GIL and runs
/// Python's signal handlers, which run in Python's main thread only. If one raises, sets `stop`;
/// the work then has to return soon. False: it did, and the Python error is set. Rethrows
/// exceptions of the work. Calls `tick` with the GIL periodically; if it returns false, it has set
/// the error.
bool serve(FunctionRef<void(const std::atomic<bool>& stop)> work, FunctionRef<bool()> tick);
bool serve(FunctionRef<void(const std::atomic<bool>& stop)> work);

// The result of a simulated run as Python objects.

/// `raised`: the exception that ended the run, or None.
Object result_dict(const sim::RunResult& result, const Object& raised);
Object origin_list(const std::vector<sim::OriginStep>& origin);
/// The inverse of result_dict, without the kernel's prints.
void read(const Object& described, sim::RunResult& out);

// The trace of one block of a run, as Python objects.

/// One number of a dtype: bool, int or float.
Object number_object(DType dtype, uint64_t bits);
Object state_dict(const sim::TraceState& state);

/// Runs only block `block` of a call, or, with a schedule that interleaves blocks, with those
/// interleaved with it, with the watchers of run(): {"run": as run() returns it, "events",
/// "agents", "indices", "count", "lost", "state"}. `last`: none is the last event of the run.
Object run_traced(const FuncObject& func, const std::vector<sim::Argument>& arguments,
                  std::array<int64_t, 3> block, int64_t launch, int64_t first,
                  std::optional<int64_t> last, std::optional<int64_t> stop, bool steps,
                  const Object& progress, uint64_t seed);

// Checks of kernels without a call, for Python.

/// Checks a sample of the blocks on generated tensors; extents and numbers are those of a call, if
/// one is described. {"warnings", "unchecked"}.
Object check_made_up(const FuncObject& self, const std::vector<sim::Argument>& arguments);

}  // namespace tilelab::python
