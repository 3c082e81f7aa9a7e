// SPDX-License-Identifier: Apache-2.0
// Runs of kernels on arguments that Python describes.
#pragma once

#include <pybind11/pybind11.h>

#include <span>

#include "core/sim/sim.h"
#include "core/support/function_ref.h"
#include "core/support/progress.h"

namespace tilelab::python {

/// (dtype name, address, shape, strides in elements, bytes[, fresh]), or (dtype name, number).
sim::Argument argument_of(const pybind11::tuple& described);

using Runner = FunctionRef<sim::RunResult(std::span<const sim::Argument>, const sim::RunOptions&)>;

/// Calls progress(done, all, phase), which may be None; false if that raised.
bool report_progress(const pybind11::object& progress, const Progress& far);

/// Runs on the described arguments; Python's signals can interrupt it.
pybind11::dict served_run(const pybind11::list& described, sim::RunOptions options,
                          const pybind11::object& progress, Runner run);

}  // namespace tilelab::python
