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

/// Names for what a loop over a mailbox keeps: the ticket, the slot of the mailbox, what was drawn.
struct MailboxNames {
  Symbol ticket, slot, drawn, last;
};

/// Of a loop whose source is `mailbox`: whoever has the counter hands each ticket on through
/// `mail`, the ring's buffer, and draws the next one; the block's number is its first, and the
/// counter gives those behind the grid. A ticket of -1 ends the others' loops. The last block that
/// finds no ticket sets the counter (and what counts the blocks, behind it) back to 0.
Stmt mailbox_loop(const TileLoop& loop, const Kernel& kernel, Symbol mail,
                  const MailboxNames& names);
/// The buffer of the loop's mailbox: tickets (i32), a slot each. Null if there is none.
const Buffer* mailbox_of(const TileLoop& loop, const Kernel& kernel);

}  // namespace tilelab
