// SPDX-License-Identifier: Apache-2.0
// How many registers the threads of a role keep (T.inc_max_nreg, T.dec_max_nreg).
#pragma once

#include <cstdint>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/node.h"

namespace tilelab::elaborate {

/// The kernel's body, its roles with the budgets that calls of reg_limit in them name, and without
/// these calls; what stands in front of the roles is for those of its threads. All roles hand over
/// or none does: budgets that do not fit into the registers of a block of so many threads, that
/// leave a role out, or that several roles of one group of warps have, are told to have no effect.
Stmt with_register_budgets(const Stmt& body, int64_t block, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
