// SPDX-License-Identifier: Apache-2.0
// The trace of one block of a run, as Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <optional>

#include "core/sim/trace.h"
#include "python/compilation.h"

namespace tilelab::python {

/// One number of a dtype: bool, int or float.
pybind11::object number_object(DType dtype, uint64_t bits);
pybind11::dict state_dict(const sim::TraceState& state);

/// Runs only block `block` of a call, or, with a schedule that interleaves blocks, with those
/// interleaved with it, with the watchers of run(): {"run": as run() returns it, "events",
/// "agents", "indices", "count", "lost", "state"}.
pybind11::dict run_traced(const FuncObject& func, const pybind11::list& described,
                          std::array<int64_t, 3> block, int64_t launch, int64_t first, int64_t last,
                          std::optional<int64_t> stop, bool steps, const pybind11::object& progress,
                          uint64_t seed);

}  // namespace tilelab::python
