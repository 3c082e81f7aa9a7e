// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks on targets that have none.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/stmt.h"
#include "core/targets/target.h"

namespace tilelab {

/// Warns about clusters that the target ignores: their blocks exchange no data. Those that do are
/// rejected, as any operation that a target lacks.
void verify_clusters(const Kernel& kernel, const Target& target, Diagnostics& diagnostics);

/// A barrier that all threads of a block must reach.
inline bool joins_block(Intrinsic i) {
  return info(i).scope == CollectiveScope::block && info(i).orders() && info(i).step != Step::setup;
}

}  // namespace tilelab
