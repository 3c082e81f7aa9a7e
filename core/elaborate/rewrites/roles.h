// SPDX-License-Identifier: Apache-2.0
// Warp specialization: groups of threads with explicit barrier waits become roles.
//   for k in range(n):                            role "ws0": for k in range(n): bar_wait(...);
//   gemm
//     with T.ws(1): copy; T.barrier_arrive(b)  ->
//     with T.ws(0): T.barrier_wait(b); gemm       role "ws1": for k in range(n): copy;
//     bar_arrive(b)
#pragma once

#include <cstdint>

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/rewrites/named_barriers.h"
#include "core/ir/func.h"

namespace tilelab::elaborate {

constexpr int64_t kWarp = 32;
constexpr int64_t kGroup = 128;  // group size of T.ws, independent of the target's warps

/// The kernel's body. If threads wait for barriers under conditions on their index, each thread
/// range becomes a role with its slice of the control flow; statements before the first such
/// condition and after the last remain for all threads. Otherwise the body is unchanged.
Stmt with_roles(const Kernel& kernel, const NamedBarriers& named, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
