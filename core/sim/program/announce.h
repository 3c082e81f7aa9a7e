// SPDX-License-Identifier: Apache-2.0
// What a runner tells a tracer when it comes to a statement of a program that is traced.
#pragma once

#include "core/sim/machine/tracer.h"
#include "core/sim/program/run.h"

namespace tilelab::sim {

/// A call_statement or call_bound of `agent`. False: the run ends here.
bool announce(LaneRunner& runner, const CallSite& site, Tracer& tracer, int64_t agent);

}  // namespace tilelab::sim
