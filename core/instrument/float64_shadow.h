// SPDX-License-Identifier: Apache-2.0
// A kernel with every floating value in float64, to tell rounding from what the kernel computes.
// Statements that are chosen still round as they did: what one of them alone loses is the
// difference between two such runs.
#pragma once

#include <string>
#include <vector>

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab {

struct InFloat64 {
  FuncRef func;              // null: `problem` says why there is none
  std::vector<Span> rounds;  // statements that round, in their order
  std::vector<Span> fast;    // ... with functions that GPUs compute faster and less exactly
  std::string problem;
  Span where;
};

/// The function of tile level as it was elaborated; its parameters are float64, too. Statements for
/// which `rounds` holds compute in the dtypes of the kernel: operations, conversions, products and
/// sums with their accumulators; the others do not round but to float64.
InFloat64 in_float64(const Func& func, FunctionRef<bool(const Span&)> rounds);

}  // namespace tilelab
