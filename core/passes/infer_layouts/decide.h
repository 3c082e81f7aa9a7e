// SPDX-License-Identifier: Apache-2.0
// All layout decisions for a kernel: distribution over threads (solve.cpp), layouts of plain shared
// buffers (bank_swizzles.h), and how many elements of a column a lane has.
#pragma once

#include <memory>
#include <vector>

#include "core/passes/infer_layouts/bank_swizzles.h"
#include "core/passes/infer_layouts/problem.h"

namespace tilelab {

/// A kernel with the chosen layouts of shared buffers, and all other decisions.
struct Decided {
  Kernel kernel;
  std::vector<BufferSwizzle> swizzles;
  std::unique_ptr<LayoutProblem> problem;  // of that kernel
};

std::unique_ptr<Decided> decide(const Func& func, const Kernel& kernel, PassContext& context);

}  // namespace tilelab
