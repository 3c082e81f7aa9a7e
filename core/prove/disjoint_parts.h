// SPDX-License-Identifier: Apache-2.0
// Proves that blocks are independent in written memory; finds the part of each block.
#pragma once

#include "core/prove/walk.h"

namespace tilelab::proving {

/// The parts of all tensors with non-atomic writes; reports conflicts in `unproved`.
std::vector<sim::Sample::Part> parts_of(const KernelFacts& kernel,
                                        const std::vector<GlobalAccess>& accesses,
                                        std::vector<Unproved>& unproved);

}  // namespace tilelab::proving
