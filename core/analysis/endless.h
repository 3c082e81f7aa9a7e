// SPDX-License-Identifier: Apache-2.0
// The state that decides when a loop ends: if it repeats, the loop never ends.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/func.h"

namespace tilelab {

/// The names that decide whether the loop continues; nullopt if memory or a call does too.
std::optional<std::vector<Symbol>> deciding(const While& loop);
/// Whether the loop repeats itself until others change what it reads atomically: a spin loop.
bool waits_for_others(const While& loop);
/// Whether the code contains a spin loop.
bool waits_for_others(const Node& code);
bool waits_for_others(const Func& func);

}  // namespace tilelab
