// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/func.h"

namespace tilelab {

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

}  // namespace tilelab
