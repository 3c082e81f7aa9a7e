// SPDX-License-Identifier: Apache-2.0
// Tiles that are larger than a slice of a tensor: the tile's extents apply, as in TileLang.
#pragma once

#include <string>

#include "core/ir/traverse.h"

namespace tilelab::elaborate {

struct Operand;

/// Extends a slice that ends at the edge of its tensor to the extents of a larger tile: elements
/// past the edge read as 0 and are not stored. A slice that ends before the edge is unchanged,
/// since the tile would get elements that the program did not select.
void extend_past_edge(Operand& slice, const Operand& tile, const Substitution& lets);

/// "A[b * 64:b * 64 + 64, h, 0:48]": the tensor slice with the extents of the other side's tile; ""
/// if the dimensions do not correspond, or neither side is a tensor.
std::string slice_of_tile(const Operand& a, const Operand& b);

}  // namespace tilelab::elaborate
