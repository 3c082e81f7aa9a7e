// SPDX-License-Identifier: Apache-2.0
// What decides how often a loop runs: with the same values of it a loop does the same again.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/func.h"

namespace tilelab::sim {

/// The names that decide whether the loop goes on; none where memory or a call decides it, too.
std::optional<std::vector<Symbol>> deciding(const While& loop);
/// Whether it does the same until others have changed what it reads atomically: it waits for them.
bool waits_for_others(const While& loop);
/// Whether a loop of the code does.
bool waits_for_others(const Node& code);
bool waits_for_others(const Func& func);

}  // namespace tilelab::sim
