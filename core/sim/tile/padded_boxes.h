// SPDX-License-Identifier: Apache-2.0
// What tile operations do to padding (padding.h).
#pragma once

#include "core/ir/enums.h"
#include "core/sim/tile/births.h"

namespace tilelab::sim {

/// Each does nothing where nobody watches.
void pad_filled(TileBlock& block, const ResolvedBox& target);
void pad_copied(TileBlock& block, const Span& span, const ResolvedBox& target,
                const ResolvedBox& source);
/// An element of `target` is folded of the part of `source`. Reports padding that counts.
void pad_reduced(TileBlock& block, const Span& span, ReduceOp op, const ResolvedBox& target,
                 const ResolvedBox& source,
                 FunctionRef<BoxPart(const std::vector<int64_t>& at)> part);
/// An element of `target`, a matrix, is the product of a row and a column, which `part` gives of
/// each factor; one of padding alone makes padding.
void pad_multiplied(TileBlock& block, const ResolvedBox& target, std::array<size_t, 2> dims,
                    const std::array<const ResolvedBox*, 2>& factors,
                    FunctionRef<BoxPart(int which, int64_t i)> part);

/// An element that was read outside of a tensor, behind a guard that is too wide: `use` says what
/// becomes of it.
void warn_of_guard(TileBlock& block, const PaddedElements::Origin& origin, FindingSide use);

}  // namespace tilelab::sim
