// SPDX-License-Identifier: Apache-2.0
// Names of roles and of what they execute, for the IR and for messages.
#pragma once

#include <string>

#include "core/ir/stmt.h"
#include "core/ir/thread_range.h"

namespace tilelab::elaborate {

/// "0 to 127".
std::string threads_text(const ThreadRange& range);
/// "ws1" of a group, "threads_0_255" of other threads.
std::string role_name(const ThreadRange& range);
/// "a store", "this copy", the name of an intrinsic.
std::string name_of_operation(const Stmt& stmt);

}  // namespace tilelab::elaborate
