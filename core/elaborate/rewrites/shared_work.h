// SPDX-License-Identifier: Apache-2.0
// A tile operation that several roles execute together, as each role's part of it. For two roles of
// 128 threads, `if tid < 256: copy(A, s)` becomes
//   threads 0 to 127:    copy(A[0:32, :], s[0:32, :])
//   threads 128 to 255:  copy(A[32:64, :], s[32:64, :])
#pragma once

#include <set>

#include "core/ir/stmt.h"
#include "core/ir/thread_range.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

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
