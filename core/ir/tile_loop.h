// SPDX-License-Identifier: Apache-2.0
// What a persistent loop means in simpler statements: the lowering writes it so, and the tile
// simulator runs it so.
#pragma once

#include "core/ir/func.h"

namespace tilelab {

/// Tickets `first`, `first + stride`, ... below `count`; each names the tile at `coordinates`
/// (lets of the loop's variables) where `inside` holds (null: always).
struct Tickets {
  Expr first, count, stride;
  std::vector<Stmt> coordinates;
  Expr inside;
};

/// Of a loop whose source is `stride`: the first ticket is the block's number in the kernel's grid,
/// the stride the grid's size unless the loop gives one. The last coordinate runs fastest, in
/// groups of them where the order is grouped: its next group begins when all other coordinates have
/// been through. `ticket` is the name that the coordinates read. Nothing for other sources.
std::optional<Tickets> tickets(const TileLoop& loop, const Kernel& kernel, Symbol ticket);

}  // namespace tilelab
