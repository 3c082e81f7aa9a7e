// SPDX-License-Identifier: Apache-2.0
// What one block of a run did, as Python holds it.
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

/// Runs block `block` of a call alone, or under a schedule in which blocks take turns with those
/// that it takes them with, with what run() watches: {"run": as run() gives it, "events", "agents",
/// "indices", "count", "lost", "state"}.
pybind11::dict run_traced(const FuncObject& func, const pybind11::list& described,
                          std::array<int64_t, 3> block, int64_t launch, int64_t first, int64_t last,
                          std::optional<int64_t> stop, bool steps, const pybind11::object& progress,
                          uint64_t seed);

}  // namespace tilelab::python
