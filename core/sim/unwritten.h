// SPDX-License-Identifier: Apache-2.0
// Which elements of an output a run has left as they were.
#pragma once

#include <vector>

#include "core/sim/sim.h"

namespace tilelab::sim {

/// Elements of `memory`, whose marks say what was written. Of a run of some blocks alone those that
/// they own, and those that are no block's.
Unwritten unwritten_of(const GlobalMemory& memory, const Sample* sample);

/// The first lines of the user's text that write a tensor.
std::vector<Span> stores_of(const Func& func, Symbol tensor);

}  // namespace tilelab::sim
