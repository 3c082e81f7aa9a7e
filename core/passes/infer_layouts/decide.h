// SPDX-License-Identifier: Apache-2.0
// All choices of infer_layouts for a kernel: who runs what (solve.cpp), how plain shared buffers
// lie (bank_swizzles.h), and how many elements of a column a lane has.
#pragma once

#include <memory>
#include <vector>

#include "core/passes/infer_layouts/bank_swizzles.h"
#include "core/passes/infer_layouts/problem.h"

namespace tilelab {

/// A kernel, its shared buffers lying as was chosen, and everything else of it decided.
struct Decided {
  Kernel kernel;
  std::vector<BufferSwizzle> swizzles;
  std::unique_ptr<LayoutProblem> problem;  // of that kernel
};

std::unique_ptr<Decided> decide(const Func& func, const Kernel& kernel, PassContext& context);

}  // namespace tilelab
