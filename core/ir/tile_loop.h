// SPDX-License-Identifier: Apache-2.0
// Lowering of a persistent loop to simpler statements, used by the lowering pass and the tile
// simulator.
#pragma once

#include "core/ir/func.h"

namespace tilelab {

/// Tickets `first`, `first + stride`, ... below `count`; each selects the tile at `coordinates`
/// (lets of the loop variables) if `inside` holds (null: always).
struct Tickets {
  Expr first, count, stride;
  std::vector<Stmt> coordinates;
  Expr inside;
};

/// For a loop with source `stride`: the first ticket is the block's number in the kernel's grid,
/// the stride the grid's size unless the loop states one. The last coordinate is the fastest, in
/// groups if the order is grouped: the next group begins after all other coordinates. `ticket` is
/// the name that the coordinates read. Nullopt for other sources.
std::optional<Tickets> tickets(const TileLoop& loop, const Kernel& kernel, Symbol ticket);

/// Variables of a mailbox loop: the ticket, the mailbox slot, and the drawn tickets.
struct MailboxNames {
  Symbol ticket, slot, drawn, last;
};

/// For a loop with source `mailbox`: the agent that owns the counter broadcasts each ticket through
/// `mail`, the ring's buffer, and draws the next one. The first ticket is the block's number; the
/// counter yields those past the grid. A ticket of -1 ends the loops of the others. The last block
/// without a ticket resets the counter (and the number of finished blocks, stored after it) to 0.
Stmt mailbox_loop(const TileLoop& loop, const Kernel& kernel, Symbol mail,
                  const MailboxNames& names);
/// The buffer of the loop's mailbox: one ticket (i32) per slot. Null if there is none.
const Buffer* mailbox_of(const TileLoop& loop, const Kernel& kernel);

}  // namespace tilelab
