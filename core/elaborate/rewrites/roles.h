// SPDX-License-Identifier: Apache-2.0
// Warp specialization: groups of threads with explicit barrier waits become roles.
//   for k in range(n):                            role "ws0": for k in range(n): bar_wait(...);
//   gemm
//     with T.ws(1): copy; T.barrier_arrive(b)  ->
//     with T.ws(0): T.barrier_wait(b); gemm       role "ws1": for k in range(n): copy;
//     bar_arrive(b)
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/rewrites/named_barriers.h"
#include "core/ir/func.h"
#include "core/ir/stmt.h"
#include "core/ir/thread_range.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

constexpr int64_t kWarp = 32;
constexpr int64_t kGroup = 128;  // group size of T.ws, independent of the target's warps

/// The kernel's body. If threads wait for barriers under conditions on their index, each thread
/// range becomes a role with its slice of the control flow; statements before the first such
/// condition and after the last remain for all threads. Otherwise the body is unchanged.
Stmt with_roles(const Kernel& kernel, const NamedBarriers& named, Diagnostics& diagnostics);

// Names of roles and of what they execute, for the IR and for messages.

/// "0 to 127".
std::string threads_text(const ThreadRange& range);
/// "ws1" of a group, "threads_0_255" of other threads.
std::string role_name(const ThreadRange& range);
/// "a store", "this copy", the name of an intrinsic.
std::string name_of_operation(const Stmt& stmt);

// A tile operation that several roles execute together, as each role's part of it. For two roles of
// 128 threads, `if tid < 256: copy(A, s)` becomes
//   threads 0 to 127:    copy(A[0:32, :], s[0:32, :])
//   threads 128 to 255:  copy(A[32:64, :], s[32:64, :])

/// Of `all` threads, those from `lo` to `hi`.
struct Workers {
  int64_t lo = 0, hi = 0, all = 0;
};
/// The threads of `role` among those of the roles `here`, counted without the others.
Workers workers_of(const std::vector<ThreadRange>& roles, const std::vector<bool>& here,
                   size_t role);

/// The part of a T.Parallel, T.copy or T.fill that the workers do: as many of its rows (the indices
/// of the first dimension that can be divided so) as they are of all. Null if no dimension can be,
/// if the operation reads memory of the kernel, which others of the workers may have written
/// without a barrier between, or if it uses memory that each role has for itself. `scope_of`: of
/// memory that the kernel allocates; nullopt for tensors.
Stmt part_of(const Stmt& stmt, const Workers& workers,
             FunctionRef<std::optional<Scope>(Symbol)> scope_of);

/// Adds the names of values, variables, buffers and views that the statement binds.
void add_bound_names(const Stmt& stmt, std::set<Symbol>& out);

}  // namespace tilelab::elaborate
