// SPDX-License-Identifier: Apache-2.0
// The result of a simulated run as Python objects.
#pragma once

#include "core/sim/sim.h"
#include "python/object.h"

namespace tilelab::python {

/// `raised`: the exception that ended the run, or None.
Object result_dict(const sim::RunResult& result, const Object& raised);
Object origin_list(const std::vector<sim::OriginStep>& origin);
/// The inverse of result_dict, without the kernel's prints.
void read(const Object& described, sim::RunResult& out);

}  // namespace tilelab::python
