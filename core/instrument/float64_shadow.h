// SPDX-License-Identifier: Apache-2.0
// A kernel in float64, to separate rounding errors from the intended computation. Selected
// statements keep their rounding: the error of a single statement is the difference between two
// runs.
#pragma once

#include <string>
#include <vector>

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab {

struct InFloat64 {
  FuncRef func;              // null: `problem` states the reason
  std::vector<Span> rounds;  // statements that can round, in order
  std::vector<Span> fast;    // ... with functions that GPUs approximate
  std::string problem;
  Span where;
};

/// The elaborated tile-level function with all floating values in float64, including its
/// parameters. Statements for which `rounds` holds compute in the dtypes of the kernel: operations,
/// conversions, matmuls and reductions with their accumulators; the others round only to float64.
InFloat64 in_float64(const Func& func, FunctionRef<bool(const Span&)> rounds);

}  // namespace tilelab
