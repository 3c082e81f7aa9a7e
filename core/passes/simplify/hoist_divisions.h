// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/func.h"

namespace tilelab {

/// Loop-invariant code motion of divisions by run-time values, out of the outermost loop in which
/// their operands do not change. C++ compilers leave them in the loop wherever a branch decides
/// about them, because a division by zero is undefined: so it moves only where the divisor is known
/// to be positive. Operands may contain variables of unrolled loops, each combination of which
/// gets a register. Later loops use a result that is in scope.
///   for k in serial(n):                            row = local(i32, [4])
///       if k + 2 < n:                              for i in unroll(4): row[i] = (m + i) % M
///           for i in unroll(4):               ->   for k in serial(n):
///               f(A[(m + i) % M + k])                  if k + 2 < n:
///                                                          for i in unroll(4): f(A[row[i] + k])
/// `moved` counts them.
FuncRef hoist_divisions(const FuncRef& func, int& moved);

}  // namespace tilelab
