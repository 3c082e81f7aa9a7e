// SPDX-License-Identifier: Apache-2.0
// T.sync_threads(id, count) and T.named_barrier_arrive(id, count): threads of a part of the block
// meet, or tell each other how far they are.
//   with T.ws(0): T.sync_threads(3, 128)          ->  group_sync(0): the compiler numbers it
//   with T.ws(0): T.sync_threads(1, 256)          ->  named_sync(1, threads=256)
//   with T.ws(1): T.named_barrier_arrive(1, 256)  ->  named_arrive(1, threads=256)
#pragma once

#include <set>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab::elaborate {

/// How many threads a block_sync is for, until it is known who they are.
inline constexpr const char* kMeetingOf = "threads";

/// The barriers by number at which threads wait for others than those that come with them.
struct NamedBarriers {
  std::set<int64_t> numbers;
  bool unknown = false;  // some of their numbers are known only in the run: then all are such
  bool empty() const { return numbers.empty() && !unknown; }
  bool has(const Call& call) const;
};

/// Of the kernel as its user wrote it. Numbers become constants where they are known; counts that
/// nobody could fulfil are refused.
NamedBarriers named_barriers(Kernel& kernel, Diagnostics& diagnostics);

/// The body, in which each other meeting of `count` threads is that of the block, of a role or of a
/// group of T.ws that has so many, if there is one; those without a number are refused else.
Stmt resolve_meetings(const Stmt& body, int64_t block, const NamedBarriers& named,
                      Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
