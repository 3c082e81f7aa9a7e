// SPDX-License-Identifier: Apache-2.0
// The trace of one block of a run, as Python objects.
#pragma once

#include <array>
#include <optional>

#include "core/sim/trace.h"
#include "python/compilation.h"
#include "python/runs.h"

namespace tilelab::python {

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

}  // namespace tilelab::python
