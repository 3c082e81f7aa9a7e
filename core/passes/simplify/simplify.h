// SPDX-License-Identifier: Apache-2.0
// The steps of simplify that are in separate files.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/ranges.h"
#include "core/ir/func.h"
#include "core/ir/stmt.h"

namespace tilelab {

// Values that depend on variables of unrolled loops, in an array of registers: one for each
// combination.

/// An unrolled loop around an expression, from 0 to `extent`.
struct Axis {
  Symbol var;
  int64_t extent;
  bool operator==(const Axis&) const = default;
};
using Axes = std::vector<Axis>;

std::optional<Axis> unrolled_axis(const For& loop);

/// Number of combinations.
int64_t count(const Axes& axes);
/// Row-major position of a combination.
Expr position_of(const Axes& axes);
/// The loops over all combinations.
Stmt for_each_of(const Axes& axes, Stmt body);
/// The array of registers.
Stmt registers_for(const Axes& axes, Symbol name, DType dtype);
/// Those axes whose variables the expression contains.
Axes axes_in(const Expr& e, const Axes& around);

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

/// Strength reduction of the addresses from which asynchronous copies in a loop load: where an
/// iteration moves an address by an amount that no iteration changes, it is added to a register,
/// so that a copy that threads have waited to issue does not wait for products as well. An address
/// may contain variables of unrolled loops, each combination of which gets a register.
///   for k in serial(n):                            at = local(i64, [4])
///       ...                                        for i in unroll(4): at[i] = row[i] * s
///       for i in unroll(4):                        for k in serial(n):
///           cp_async(S[...],                   ->      ...
///                    A[row[i] * s + k * 64])           for i in unroll(4):
///                                                          cp_async(S[...], A[at[i]])
///                                                          at[i] += 64
/// The sum is beside the copy, which spreads the copies over the products, or else at the end of
/// the iteration: where several copies use the address, or one of them skips iterations. Other
/// addresses, whose only products are by constants, are left to the C++ compiler. `moved` counts
/// the registers' names.
FuncRef step_addresses(const FuncRef& func, int& moved);

// Converts small integers to 16-bit floats by an `or` and a subtraction: quantized weights are such
// integers, and the throughput of conversions on GPUs is a fraction of that of arithmetic.

/// `expr` with bitwise conversions of integers in [0, 2^m), m the bits of the fraction: for f16
///   f16(x)           ->  bits(x | 0x6400) - 1024
///   f16(x) - 8.0     ->  bits(x | 0x6400) - 1032
/// since 0x6400 is 1024, with fraction bits of weight 1. The result is exact.
Expr small_integers_by_bits(const Expr& expr, const RangeAnalysis& facts);

}  // namespace tilelab
