// SPDX-License-Identifier: Apache-2.0
// Groups of threads that wait for barriers by hand, as roles.
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
constexpr int64_t kGroup = 128;  // threads that T.ws counts by, whatever the target's warps are

/// The kernel's body. If threads wait for barriers under conditions of their index, each range of
/// them has become a role with its slice of the control flow; what stands in front of the first
/// such condition and behind the last is left to all threads. Else it is the body as it was.
Stmt with_roles(const Kernel& kernel, const NamedBarriers& named, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
