// SPDX-License-Identifier: Apache-2.0
#include "core/ir/tile_loop.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

/// x is the fastest dimension, as in block numbering.
Expr block_number(const Kernel& kernel) {
  Expr number;
  for (size_t i = kernel.indices.size(); i-- > 0;) {
    if (is_int(kernel.grid[i], 1)) continue;
    Expr index = name_ref(kernel.indices[i]);
    number = number ? add(mul(number, cast(DType::i32, kernel.grid[i])), index) : index;
  }
  return number ? number : int_const(0);
}

Expr grid_size(const Kernel& kernel) {
  Expr size = int_const(1);
  for (const Expr& extent : kernel.grid) size = mul(size, cast(DType::i32, extent));
  return size;
}

/// The number of coordinates of the last dimension in a group.
Expr group_size(const TileLoop& loop) {
  const Expr& last = loop.domain.back();
  if (loop.order == TileOrder::last_fastest) return last;
  Expr wanted = number(double(std::max<int64_t>(1, loop.group)), last->type.dtype);
  auto a = int_value(wanted), b = int_value(last);
  if (a && b) return *a < *b ? wanted : last;
  return call(Intrinsic::minimum, last->type, {wanted, last});
}

/// The numbering of tickets, common to both sources.
Tickets numbered(const TileLoop& loop, const Kernel& kernel, Symbol ticket) {
  Expr group = group_size(loop);
  const Expr& last = loop.domain.back();
  const DType dtype = last->type.dtype;
  // An empty domain has no tickets; avoid a division by zero.
  if (!int_value(group))
    group = call(Intrinsic::maximum, group->type, {group, int_const(1, dtype)});
  if (is_int(group, 0)) group = int_const(1, dtype);
  Tickets out;
  out.first = cast(dtype, block_number(kernel));
  out.stride = cast(dtype, loop.stride ? loop.stride : grid_size(kernel));
  // An empty grid has no blocks, but the loop still needs a valid step.
  if (auto step = int_value(out.stride); step && *step < 1) out.stride = int_const(1, dtype);
  Expr t = name_ref(ticket, {dtype});
  const bool grouped = loop.order == TileOrder::grouped;
  out.count = last;
  if (grouped)  // the last group counts as a whole one
    out.count = mul(floordiv(sub(add(last, group), int_const(1, dtype)), group), group);
  Expr left = floordiv(t, group);
  for (size_t d = loop.domain.size() - 1; d-- > 0;) {
    Expr extent = cast(dtype, loop.domain[d]);
    out.count = mul(out.count, extent);
    out.coordinates.push_back(
        let(loop.vars[d], cast(loop.domain[d]->type.dtype, floormod(left, extent))));
    left = floordiv(left, extent);
  }
  const Expr in_group = floormod(t, group);
  out.coordinates.push_back(
      let(loop.vars.back(), grouped ? add(mul(left, group), in_group) : in_group));
  auto extent = int_value(last), size = int_value(group);
  if (grouped && (!extent || !size || *extent % *size))
    out.inside = lt(name_ref(loop.vars.back(), {dtype}), last);
  return out;
}

Stmt ring_op(Symbol ring, RingOpKind op, Symbol slot = {}) {
  RingOp n;
  n.ring = ring, n.op = op, n.slot = slot;
  return make(std::move(n));
}

/// A loop over the ticket number that executes `body` for each tile.
Stmt tile_of(const Tickets& plan, const Stmt& body) {
  std::vector<Stmt> out = plan.coordinates;
  out.push_back(plan.inside ? if_then(plan.inside, body) : body);
  return seq(std::move(out));
}

Stmt producing(const TileLoop& loop, const Kernel& kernel, Symbol mail, const MailboxNames& names) {
  const Tickets plan = numbered(loop, kernel, names.ticket);
  const Type type = plan.first->type;
  const Expr ticket = name_ref(names.ticket, type), grid = grid_size(kernel);
  auto place = [&](int64_t i) { return region(loop.counter, DType::i32, {point(int_const(i))}); };
  auto draw = [&](int64_t i, const char* order) {
    return call(Intrinsic::atomic_add, {DType::i32}, {place(i), int_const(1)},
                {attr("order", order)});
  };
  auto post = [&](Expr value) {
    return seq({ring_op(loop.ring, RingOpKind::acquire, names.slot),
                store(mail, {point(name_ref(names.slot))}, std::move(value)),
                ring_op(loop.ring, RingOpKind::commit)});
  };
  const Stmt loop_of_tickets =
      while_loop(lt(ticket, plan.count),
                 seq({post(cast(DType::i32, ticket)), tile_of(plan, loop.body),
                      let(names.drawn, draw(0, "relaxed")),
                      assign(names.ticket, cast(type.dtype, add(grid, name_ref(names.drawn))))}));
  std::vector<Stmt> reset;
  for (int64_t i : {0, 1})
    reset.push_back(
        do_call(Intrinsic::atomic_store, {place(i), int_const(0)}, {attr("order", "relaxed")}));
  return seq({var(names.ticket, type.dtype, plan.first), loop_of_tickets, post(int_const(-1)),
              let(names.last, draw(1, "acq_rel")),
              if_then(eq(name_ref(names.last), sub(grid, int_const(1))), seq(std::move(reset)))});
}

Stmt consuming(const TileLoop& loop, const Kernel& kernel, Symbol mail, const MailboxNames& names) {
  const Tickets plan = numbered(loop, kernel, names.ticket);
  const Expr read = load(mail, DType::i32, {name_ref(names.slot)});
  const Expr ticket = call(Intrinsic::uniform, {DType::i32}, {read});
  return while_loop(bool_const(true),
                    seq({ring_op(loop.ring, RingOpKind::wait, names.slot),
                         let(names.ticket, ticket), ring_op(loop.ring, RingOpKind::release),
                         if_then(lt(name_ref(names.ticket), int_const(0)), make(Break{})),
                         tile_of(plan, loop.body)}));
}

}  // namespace

std::optional<Tickets> tickets(const TileLoop& loop, const Kernel& kernel, Symbol ticket) {
  if (loop.source != TileSource::stride || loop.domain.empty()) return std::nullopt;
  return numbered(loop, kernel, ticket);
}

const Buffer* mailbox_of(const TileLoop& loop, const Kernel& kernel) {
  const Buffer* found = nullptr;
  any_of(*kernel.body, [&](const Buffer& b) {
    const bool is_it =
        b.ring && b.ring == loop.ring && b.dtype == DType::i32 && b.shape.size() == 1;
    if (is_it) found = &b;
    return is_it;
  });
  return found;
}

Stmt mailbox_loop(const TileLoop& loop, const Kernel& kernel, Symbol mail,
                  const MailboxNames& names) {
  return loop.counter ? producing(loop, kernel, mail, names) : consuming(loop, kernel, mail, names);
}

}  // namespace tilelab
