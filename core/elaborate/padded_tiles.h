// SPDX-License-Identifier: Apache-2.0
// Tiles that are larger than a slice of a tensor: the tile's extents count, as in TileLang.
#pragma once

#include <string>

#include "core/ir/traverse.h"

namespace tilelab::elaborate {

struct Operand;

/// Gives a slice that ends at the edge of its tensor the extents of a larger tile: what lies beyond
/// the edge is read as 0 and not stored. A slice that ends before it stays, since there the tile
/// would get elements that the program did not name.
void reach_over_edge(Operand& slice, const Operand& tile, const Substitution& lets);

/// "A[b * 64:b * 64 + 64, h, 0:48]": the slice of a tensor as large as the tile on the other side;
/// "" where the dimensions of the two do not correspond, or neither side is a tensor.
std::string slice_of_tile(const Operand& a, const Operand& b);

}  // namespace tilelab::elaborate
