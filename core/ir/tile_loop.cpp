// SPDX-License-Identifier: Apache-2.0
#include "core/ir/tile_loop.h"

#include <algorithm>

#include "core/ir/build.h"

namespace tilelab {
namespace {

/// x is fastest, as blocks are numbered.
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

/// Coordinates of the last dimension in a group.
Expr group_size(const TileLoop& loop) {
  const Expr& last = loop.domain.back();
  if (loop.order == TileOrder::last_fastest) return last;
  Expr wanted = number(double(std::max<int64_t>(1, loop.group)), last->type.dtype);
  auto a = int_value(wanted), b = int_value(last);
  if (a && b) return *a < *b ? wanted : last;
  return call(Intrinsic::minimum, last->type, {wanted, last});
}

}  // namespace

std::optional<Tickets> tickets(const TileLoop& loop, const Kernel& kernel, Symbol ticket) {
  if (loop.source != TileSource::stride || loop.domain.empty()) return std::nullopt;
  Expr group = group_size(loop);
  const Expr& last = loop.domain.back();
  const DType dtype = last->type.dtype;
  // An empty domain has no tickets, and nothing is divided by its extents.
  if (!int_value(group))
    group = call(Intrinsic::maximum, group->type, {group, int_const(1, dtype)});
  if (is_int(group, 0)) group = int_const(1, dtype);
  Tickets out;
  out.first = cast(dtype, block_number(kernel));
  out.stride = cast(dtype, loop.stride ? loop.stride : grid_size(kernel));
  Expr t = name_ref(ticket, {dtype});
  Expr whole = sub(add(last, group), int_const(1, dtype));
  out.count = mul(floordiv(whole, group), group);
  Expr left = floordiv(t, group);
  for (size_t d = loop.domain.size() - 1; d-- > 0;) {
    Expr extent = cast(dtype, loop.domain[d]);
    out.count = mul(out.count, extent);
    out.coordinates.push_back(
        let(loop.vars[d], cast(loop.domain[d]->type.dtype, floormod(left, extent))));
    left = floordiv(left, extent);
  }
  out.coordinates.push_back(let(loop.vars.back(), add(mul(left, group), floormod(t, group))));
  auto extent = int_value(last), size = int_value(group);
  if (!extent || !size || *extent % *size)
    out.inside = lt(name_ref(loop.vars.back(), {dtype}), last);
  return out;
}

}  // namespace tilelab
