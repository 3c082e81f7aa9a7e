// SPDX-License-Identifier: Apache-2.0
// The result of a simulated run as Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include "core/sim/sim.h"

namespace tilelab::python {

/// `raised`: the exception that ended the run, or None.
pybind11::dict result_dict(const sim::RunResult& result, const pybind11::object& raised);
pybind11::list origin_list(const std::vector<sim::OriginStep>& origin);
/// The inverse, without the kernel's prints.
sim::RunResult result_of(const pybind11::dict& described);

}  // namespace tilelab::python
