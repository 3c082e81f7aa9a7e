// SPDX-License-Identifier: Apache-2.0
// Do blocks meet in memory that one of them writes? If not: which part of it is whose.
#pragma once

#include "core/prove/walk.h"

namespace tilelab::proving {

/// The parts of all tensors that are written but by atomics; what is shared is told in `unproved`.
std::vector<sim::Sample::Part> parts_of(const KernelFacts& kernel,
                                        const std::vector<GlobalAccess>& accesses,
                                        std::vector<Unproved>& unproved);

}  // namespace tilelab::proving
