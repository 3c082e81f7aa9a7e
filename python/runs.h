// SPDX-License-Identifier: Apache-2.0
// Runs of kernels on arguments that Python describes.
#pragma once

#include <span>

#include "core/sim/sim.h"
#include "core/support/function_ref.h"
#include "core/support/progress.h"
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

}  // namespace tilelab::python
