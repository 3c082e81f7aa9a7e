// SPDX-License-Identifier: Apache-2.0
// Register budgets per thread of a role (T.inc_max_nreg, T.dec_max_nreg).
#pragma once

#include <cstdint>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/node.h"

namespace tilelab::elaborate {

/// Moves the calls of reg_limit in the kernel's body into the budgets of its roles; calls before
/// the roles apply to the roles of their threads. Either all roles have budgets or none: budgets
/// that exceed the registers of a block with `block` threads, omit a role, or belong to several
/// roles of one warp group are reported to have no effect.
Stmt with_register_budgets(const Stmt& body, int64_t block, int64_t min_blocks,
                           Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
