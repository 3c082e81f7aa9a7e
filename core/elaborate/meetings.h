// SPDX-License-Identifier: Apache-2.0
// T.sync_threads(id, count): threads of a part of the block meet.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab::elaborate {

/// How many threads a block_sync is for, until it is known who they are.
inline constexpr const char* kMeetingOf = "threads";

/// The body, in which each meeting of `count` threads is that of the block, of a role or of a group
/// of T.ws that has so many; others are refused.
Stmt resolve_meetings(const Stmt& body, int64_t block, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
