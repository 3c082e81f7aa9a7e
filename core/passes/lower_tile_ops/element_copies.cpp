// SPDX-License-Identifier: Apache-2.0
// Tile-level cp_async, T.ptx_cp_async: lowers explicit elements to addresses.
//     cp_async(s[i, j:j + 8], A[m, k:k + 8], p)
//     ->  cp_async(s[...], A[...], p and m < M)
// Falls back to loads and stores if the target or the addresses do not allow asynchronous copies.
// These complete before the wait, which every program must allow for.
#include <string>
#include <utility>
#include <vector>

#include "core/ir/intrinsics/copied_elements.h"
#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/passes/insert_barriers/barrier_points.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/shared/hardware_units.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// Why one instruction cannot copy the elements; "" if it can. `index`: of the first one.
std::string why_no_vector_copy(const Storage& from, const std::vector<Expr>& index, int64_t count,
                               const LoweringScope& here, const Lowering& lowering) {
  const int64_t size = count * bytes(from.dtype);
  if (!lowering.target().async_copy) return "the target has no asynchronous copies";
  if (size != 4 && size != 8 && size != 16) return "their size must be 4, 8 or 16 bytes";
  if (from.buffer->safe && number_value(from.buffer->safe) != 0.0)
    return "outside `" + from.buffer->name.str() + "` its padding value is not zero";
  auto whole = [&](const Expr& e) { return here.facts.range(e).multiple % count == 0; };
  const std::vector<Expr>& strides = from.buffer->strides;
  if (!strides.empty() && !is_int(strides.back(), 1)) return "the rows of the tensor have gaps";
  if (!whole(index.back())) return "the alignment of the first element is unknown";
  for (size_t d = 0; d + 1 < strides.size(); ++d)
    if (!whole(strides[d])) return "the alignment of the rows of the tensor is unknown";
  if (!whole(from.shape.back())) return "a row of the tensor may end within one copy";
  return "";
}

Stmt element_by_element(const Do& call, const Call& copy, const std::string& why,
                        const LoweringScope& here, Lowering& lowering) {
  const std::string instead = "loads and stores of the threads";
  lowering.reasons().push_back(line_of(call) + "T.ptx_cp_async: " + instead + "; " + why);
  if (uses_hardware_units(lowering.func()))
    lowering.diagnostics()
        .report(Diag::slow_fallback, call.span, "T.ptx_cp_async", instead)
        .note(why)
        .help(
            "copy 4, 8 or 16 bytes between aligned addresses, in rows of a multiple of that size");
  return lowering.stmt(copied_elements(copy), here);
}

/// The arrival after copies for targets that do not have it: waits for them, then arrives.
Stmt waits_and_arrives(const Do& call, const Call& arrival, const LoweringScope& here,
                       Lowering& lowering) {
  Call plain(arrival);
  std::erase_if(plain.attrs, [](const Attr& a) { return a.name == Symbol("unit"); });
  const Stmt arrive = lowering.children(at(call.span, make(Do{{}, make(std::move(plain))})), here);
  if (!lowering.target().async_copy) return arrive;
  return seq(
      {do_call(Intrinsic::cp_commit, {}), do_call(Intrinsic::cp_wait, {int_const(0)}), arrive});
}

/// `count` consecutive elements of the last dimension, starting at an element.
Expr vector_at(const Storage& memory, const std::vector<Expr>& index, int64_t count) {
  std::vector<RegionDim> dims = points(index);
  if (count > 1) dims.back() = slice(dims.back().lo, count);
  return region(memory.name, memory.dtype, std::move(dims));
}

Stmt lower_copy(const Do& call, const Call& copy, const LoweringScope& here, Lowering& lowering) {
  const Region &dst = to<Region>(copy.args[0]), &src = to<Region>(copy.args[1]);
  const Storage into = lowering.storage(dst.buffer), from = lowering.storage(src.buffer);
  const int64_t count = elements(dst);
  const std::vector<Expr> first = element_of(src, {int_const(0)}, here, lowering);
  const std::vector<Expr> place = element_of(dst, {int_const(0)}, here, lowering);
  std::string why = why_no_vector_copy(from, first, count, here, lowering);
  if (why.empty() && !is_contiguous(count * bytes(into.dtype), into, place.back(), here))
    why = "the elements are not contiguous in " + dst.buffer.str();
  if (!why.empty()) return element_by_element(call, copy, why, here, lowering);
  Expr inside = copy.args.size() > 2 ? here.simplified(lowering.expr(copy.args[2], here)) : nullptr;
  if (Expr bounds = lowering.where(here, inside).in_bounds(from.shape, first))
    inside = land(inside, guard(bounds));
  std::vector<Expr> operands{vector_at(into, place, count), vector_at(from, first, count)};
  if (inside) operands.push_back(inside);
  Stmt out = do_call(Intrinsic::cp_async, std::move(operands));
  if (here.walk && here.walk->first_replica) out = if_then(here.walk->first_replica, out);
  return lowering.once(out, call, here);
}

}  // namespace

Stmt lower(const Do& call, const LoweringScope& here, Lowering& lowering) {
  const Stmt stmt(&call);
  const Call* copy = element_copy(stmt);
  const Call* any = as<Call>(call.call);
  if (const Call* matrices = warp_matrices(stmt))
    return lower_matrices(call, *matrices, here, lowering);
  const bool barrier = is_barrier(stmt) || is_group_barrier(stmt) ||
                       (any && any->intrinsic == Intrinsic::range_sync);
  if (barrier && lowering.fences_at_barriers())
    return seq({do_call(Intrinsic::fence_proxy, {}), stmt});
  if (any && arrives_after_copies(*any) && !lowering.target().barriers.arrives_after_copies)
    return waits_and_arrives(call, *any, here, lowering);
  const bool of_copies = any && info(any->intrinsic).async == Async::cp;
  if (!copy && of_copies && !lowering.target().async_copy) return seq({});  // copies are complete
  return copy ? lower_copy(call, *copy, here, lowering) : lower_atomic(call, here, lowering);
}

}  // namespace tilelab
