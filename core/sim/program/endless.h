// SPDX-License-Identifier: Apache-2.0
// What decides how often a loop runs: with the same values of it a loop does the same again.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/stmt.h"

namespace tilelab::sim {

/// The names that decide whether the loop goes on; none where memory or a call decides it, too.
std::optional<std::vector<Symbol>> deciding(const While& loop);

}  // namespace tilelab::sim
