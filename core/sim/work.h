// SPDX-License-Identifier: Apache-2.0
// An upper bound on the work of a run, computed before it starts: a caller that waits for a short
// run need not prepare to interrupt it.
#pragma once

#include "core/ir/func.h"
#include "core/ir/linear.h"

namespace tilelab::sim {

/// An upper bound on the lane results that a run of a tile-level function computes; each takes a
/// nanosecond or less, as a rule. Infinity if the IR does not bound it (while loops, loops with
/// computed bounds, agents that wait for each other). `name`: the values of its dims and scalar
/// parameters.
double most_work(const Func& func, Environment name);

}  // namespace tilelab::sim
