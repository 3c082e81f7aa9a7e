// SPDX-License-Identifier: Apache-2.0
// Persistent loops at tile level.
#include "core/ir/build.h"
#include "core/ir/tile_loop.h"
#include "core/sim/tile/op.h"

namespace tilelab::sim {

/// Compiles a persistent loop as the equivalent while loop; its extents and the grid's are known.
void TileCompiler::tile_loop(const TileLoop& node) {
  Kernel kernel(launch_.kernel);
  for (size_t i = 0; i < kernel.grid.size(); ++i) kernel.grid[i] = int_const(launch_.grid[i]);
  TileLoop known(node);
  for (Expr& extent : known.domain)
    extent = int_const(numbers({extent}, node)[0], extent->type.dtype);
  const std::string place = std::to_string(b.position());
  if (node.source == TileSource::mailbox) {
    const Buffer* mail = mailbox_of(node, kernel);
    if (!mail) cannot(node, "a mailbox without a buffer of tickets");
    if (lanes_ > 1) cannot(node, "a mailbox in a role whose threads differ");
    return stmt(
        mailbox_loop(known, kernel, mail->name,
                     {"%ticket" + place, "%slot" + place, "%drawn" + place, "%last" + place}));
  }
  const Symbol name = "%ticket" + place;
  auto plan = tickets(known, kernel, name);
  if (!plan) cannot(node, "a persistent loop over nothing");
  Var ticket;
  ticket.name = name, ticket.dtype = plan->first->type.dtype, ticket.init = plan->first;
  std::vector<Stmt> body = plan->coordinates;
  body.push_back(plan->inside ? if_then(plan->inside, node.body) : node.body);
  Assign next;
  next.name = name;
  next.value = tilelab::add(name_ref(name, plan->first->type), plan->stride);
  body.push_back(make(std::move(next)));
  While loop;
  loop.cond = lt(name_ref(name, plan->first->type), plan->count);
  loop.body = tilelab::seq(std::move(body));
  stmt(make(std::move(ticket)));
  stmt(make(std::move(loop)));
}

}  // namespace tilelab::sim
