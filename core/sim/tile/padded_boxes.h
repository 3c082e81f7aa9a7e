// SPDX-License-Identifier: Apache-2.0
// Propagates padding (padding.h) through tile operations.
#pragma once

#include "core/ir/enums.h"
#include "core/sim/tile/provenance.h"

namespace tilelab::sim {

/// All functions do nothing without watchers.
void pad_filled(TileBlock& block, const ResolvedBox& target);
void pad_copied(TileBlock& block, const Span& span, const ResolvedBox& target,
                const ResolvedBox& source);
/// An element of `target` is reduced from a part of `source`. Reports padding that changes it.
void pad_reduced(TileBlock& block, const Span& span, ReduceOp op, const ResolvedBox& target,
                 const ResolvedBox& source,
                 FunctionRef<BoxPart(const std::vector<int64_t>& at)> part);
/// An element of the matrix `target` is the dot product of a row and a column, `part` of each
/// operand; it is padding if one of these consists of padding alone.
void pad_multiplied(TileBlock& block, const ResolvedBox& target, std::array<size_t, 2> dims,
                    const std::array<const ResolvedBox*, 2>& factors,
                    FunctionRef<BoxPart(int which, int64_t i)> part);

/// An element read out of bounds, after a guard that is too wide: `use` describes its use.
void warn_of_guard(TileBlock& block, const PaddedElements::Origin& origin, FindingSide use);

}  // namespace tilelab::sim
