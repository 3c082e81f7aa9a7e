// SPDX-License-Identifier: Apache-2.0
// T.sync_threads(id, count) and T.named_barrier_arrive(id, count): barriers of a part of the block,
// and producer-consumer signals between such parts.
//   with T.ws(0): T.sync_threads(3, 128)          ->  group_sync(0): the compiler assigns the ID
//   a role:       T.sync_threads()                ->  role_sync()
//   with T.ws(0): T.sync_threads(1, 256)          ->  named_sync(1, threads=256)
//   with T.ws(1): T.named_barrier_arrive(1, 256)  ->  named_arrive(1, threads=256)
#pragma once

#include <set>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab::elaborate {

/// The thread count of a block_sync, until the set of threads is known.
inline constexpr const char* kBarrierThreads = "threads";

/// Barrier IDs with threads from several code locations, so that waiting threads depend on others.
struct NamedBarriers {
  std::set<int64_t> numbers;
  bool unknown = false;  // some IDs are dynamic: then all barriers are treated so
  bool empty() const { return numbers.empty() && !unknown; }
  bool has(const Call& call) const;
};

/// Analyzes the kernel as written by the user. Folds constant IDs; rejects counts that no threads
/// can satisfy.
NamedBarriers named_barriers(Kernel& kernel, Diagnostics& diagnostics);

/// Replaces each other barrier of `count` threads by that of the block, a role or a group of T.ws
/// with as many threads, if there is one; otherwise rejects it if it has no ID. A barrier without a
/// count is for all threads of its role.
Stmt resolve_thread_barriers(const Stmt& body, int64_t block, const NamedBarriers& named,
                             Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
