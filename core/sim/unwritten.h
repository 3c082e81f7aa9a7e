// SPDX-License-Identifier: Apache-2.0
// Elements of an output that a run left unchanged.
#pragma once

#include <vector>

#include "core/sim/sim.h"

namespace tilelab::sim {

/// Elements of `memory` whose marks say that they were not written. In a run of a sample: those
/// that its blocks own and those that no block owns.
Unwritten unwritten_of(const GlobalMemory& memory, const Sample* sample);

/// The first source lines that write a tensor.
std::vector<Span> stores_of(const Func& func, Symbol tensor);

}  // namespace tilelab::sim
