// SPDX-License-Identifier: Apache-2.0
// One layout for a shared buffer from all its uses, where no unit wants one: a tile that threads
// write by rows and read by columns has pieces of its rows change places, so that neither meets one
// bank again and again.
#pragma once

#include <vector>

#include "core/passes/infer_layouts/problem.h"

namespace tilelab {

/// What a buffer gets, and why.
struct BufferSwizzle {
  Symbol buffer;
  Swizzle swizzle;
  std::string reason;
};

/// For shared buffers without a layout that only loops of threads touch, in places that the loops'
/// variables tell: the swizzle (cures.h) that makes the accesses of a warp cheapest, where they
/// are twice as expensive without one. `solved` tells who runs what. In order of declaration.
std::vector<BufferSwizzle> bank_swizzles(const LayoutProblem& solved);

/// The kernel's body with these buffers row by row, and swizzled.
Stmt with_swizzles(const Stmt& body, const std::vector<BufferSwizzle>& chosen);

}  // namespace tilelab
