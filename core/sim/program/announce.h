// SPDX-License-Identifier: Apache-2.0
// Reports the statements of a traced program to the tracer.
#pragma once

#include "core/sim/machine/tracer.h"
#include "core/sim/program/run.h"

namespace tilelab::sim {

/// A call_statement or call_bound of `agent`. False: the run ends here.
bool announce(LaneRunner& runner, const CallSite& site, Tracer& tracer, int64_t agent);

/// The variables of the loops around a runner's position, for any program.
std::vector<TraceValue> loops_around(LaneRunner& runner);

}  // namespace tilelab::sim
