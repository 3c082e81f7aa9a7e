// SPDX-License-Identifier: Apache-2.0
// How much a run computes at most, known before it begins: whoever waits for a short one need not
// make ready to end it.
#pragma once

#include "core/ir/func.h"
#include "core/ir/linear.h"

namespace tilelab::sim {

/// About the results of lanes that a run of a tile-level function computes, never fewer; a
/// nanosecond each, as a rule less. Infinity: the text alone does not bound it (while loops, loops
/// whose bounds the kernel computes, agents that wait for each other). `name`: the values of its
/// dims and scalar parameters.
double most_work(const Func& func, Environment name);

}  // namespace tilelab::sim
