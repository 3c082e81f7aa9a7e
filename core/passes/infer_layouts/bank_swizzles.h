// SPDX-License-Identifier: Apache-2.0
// Selects one layout for a shared buffer from all its uses if no unit requires one: a tile that
// threads write by rows and read by columns gets a swizzle of row pieces, so that neither access
// has bank conflicts.
#pragma once

#include <vector>

#include "core/passes/infer_layouts/problem.h"

namespace tilelab {

/// The swizzle of a buffer, and why.
struct BufferSwizzle {
  Symbol buffer;
  Swizzle swizzle;
  std::string reason;
};

/// For shared buffers without a layout that only parallel loops access, at indices that depend on
/// the loop variables: the swizzle that makes the accesses of a warp cheapest, if they cost at
/// least twice as much without one. `solved` provides the distribution over threads. In order of
/// declaration.
std::vector<BufferSwizzle> bank_swizzles(const LayoutProblem& solved);

/// The kernel's body with these buffers row-major and swizzled.
Stmt with_swizzles(const Stmt& body, const std::vector<BufferSwizzle>& chosen);

}  // namespace tilelab
