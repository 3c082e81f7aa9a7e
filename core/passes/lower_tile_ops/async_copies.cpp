// SPDX-License-Identifier: Apache-2.0
// copy(by="async"): each thread copies its vectors, which complete in groups.
//     copy(A[...], A_s[s], vec=8)  ->  for v in unroll(4): cp_async(A_s[s, ..., j:j + 8], A[...])
#include <algorithm>
#include <optional>

#include "core/ir/compare.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/shared/gather_loops.h"
#include "core/passes/shared/hardware_units.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// `bounds` for all elements of a vector that starts at `var` = 0; nullopt if an edge can cut it.
std::optional<Expr> bounds_of_vectors(const Expr& bounds, Symbol var, int64_t vec,
                                      const Expr& extent, const Expr& index,
                                      const LoweringScope& here) {
  if (!bounds || !mentions(bounds, var)) return bounds;
  const Substitution first{{var, int_const(0)}};
  const bool whole = here.facts.range(extent).multiple % vec == 0 &&
                     here.facts.range(substitute(index, first)).multiple % vec == 0;
  if (!whole) return std::nullopt;
  return here.simplified(substitute(bounds, first));
}

constexpr int64_t kMaxIndices = 32;  // registers for the indices of one dimension

/// Loads the computed indices of all vectors of a gather into registers before its first copy: no
/// later compiler moves a load across a copy, so each copy would wait for its own index.
///   for i in unroll(4): cp_async(a[i, ...], A[I[i], ...], I[i] < n)
///   ->  for i in unroll(4): rows[i] = I[i];  for i in unroll(4): cp_async(..., A[rows[i], ...])
Stmt loaded_indices(const Walk& walk, std::vector<Expr>& from, Expr& inside, Lowering& lowering) {
  int64_t count = 1;
  Expr position = int_const(0);
  for (const Walk::Loop& loop : walk.loops) {
    position = add(mul(position, int_const(loop.extent)), name_ref(loop.var));
    count *= loop.extent;
  }
  if (count == 1 || count > kMaxIndices) return nullptr;
  std::vector<Stmt> declared, loads;
  for (Expr& index : from) {
    if (!contains<Load>(*index)) continue;
    Buffer rows =
        new_buffer(lowering.fresh("rows"), Scope::local, index->type.dtype, {int_const(count)});
    const Expr computed = index;
    index = load(rows.name, rows.dtype, {position});
    loads.push_back(store(rows.name, {point(position)}, computed));
    declared.push_back(make(std::move(rows)));
    if (inside)
      inside = rewrite(inside, [&](const Expr& e) { return equal(e, computed) ? index : e; });
  }
  if (loads.empty()) return nullptr;
  declared.push_back(wrap(walk, seq(std::move(loads))));
  return seq(std::move(declared));
}

}  // namespace

Stmt lower_async(const Copy& copy, LoweringScope here, Lowering& lowering) {
  const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
  const Storage from = lowering.storage(src.buffer), into = lowering.storage(dst.buffer);
  const int64_t size = std::max<int64_t>(1, copy.vec) * bytes(into.dtype);
  auto refuse = [&](const char* what) { return lowering.refuse(copy, what); };
  if (!lowering.target().async_copy) return refuse("an asynchronous copy for this target");
  if (from.scope() != Scope::global || into.scope() != Scope::shared || from.dtype != into.dtype)
    return refuse(
        "an asynchronous copy other than from global to shared memory without conversion");
  if (from.buffer->safe && number_value(from.buffer->safe) != 0.0)
    return refuse("an asynchronous copy with a padding value other than zero");
  if (!copy.layout.known() || (size != 4 && size != 8 && size != 16))
    return refuse("an asynchronous copy other than of 4, 8 or 16 bytes per thread, by a layout");
  Walk walk = lowering.walk(copy.layout, {}, here);
  here = lowering.where(here, walk.inside);
  std::vector<Expr> source = element_of(src, walk.index, here, lowering);
  std::vector<Expr> target = element_of(dst, walk.index, here, lowering);
  Symbol var;
  if (copy.vec > 1) {
    if (walk.loops.empty() || walk.loops.back().extent != copy.vec)
      return refuse("an asynchronous copy whose vectors are not the last elements of its threads");
    var = walk.loops.back().var;
    walk.loops.pop_back();
    if (!is_contiguous_along(source, var) || !is_contiguous_along(target, var))
      return refuse("an asynchronous copy whose vectors are not along the last dimension");
    // A padded layout has nonexistent elements: whole vectors of them.
    const Expr extent = int_const(copy.layout.shape.back());
    auto inside = bounds_of_vectors(walk.inside, var, copy.vec, extent, walk.index.back(), here);
    if (!inside) return refuse("an asynchronous copy with vectors that an edge can split");
    walk.inside = *inside;
  }
  auto bounds = bounds_of_vectors(here.in_bounds(from.shape, source), var, copy.vec,
                                  from.shape.back(), source.back(), here);
  if (!bounds) return refuse("an asynchronous copy with vectors that an edge can split");
  auto part = [&](Symbol buffer, DType dtype, std::vector<Expr> index) {
    std::vector<RegionDim> dims = points(index);
    if (!var) return region(buffer, dtype, std::move(dims));
    for (RegionDim& d : dims) d.lo = here.simplified(substitute(d.lo, {{var, int_const(0)}}));
    dims.back() = slice(dims.back().lo, copy.vec);
    return region(buffer, dtype, std::move(dims));
  };
  std::vector<Expr> operands{part(into.name, into.dtype, target),
                             part(from.name, from.dtype, source)};
  if (*bounds) operands.push_back(*bounds);
  Stmt body = do_call(Intrinsic::cp_async, std::move(operands));
  if (walk.first_replica) body = if_then(walk.first_replica, body);
  body = wrap(walk, body);
  const bool in_slot =
      into.buffer->ring && lowering.ring(into.buffer->ring).ring->fill == RingFill::group;
  if (in_slot) return body;
  if (has_explicit_wait(copy)) return seq({body, do_call(Intrinsic::cp_commit, {})});
  return seq(
      {body, do_call(Intrinsic::cp_commit, {}), do_call(Intrinsic::cp_wait, {int_const(0)})});
}

Stmt lower_gather(const Parallel& loop, const Substitution& values, Walk walk,
                  const LoweringScope& here, Lowering& lowering) {
  const Stmt store = gathering_store(loop);
  if (!store || !lowering.target().async_copy) return nullptr;
  const Stmt placed = lowering.stmt(substitute(store, values), here);
  const Store* into = as<Store>(placed);
  const Load* element = into ? gathered(into->value).element : nullptr;
  const Storage from = element ? lowering.storage(element->buffer) : Storage();
  const Storage memory = into ? lowering.storage(into->buffer) : Storage();
  const int64_t vec = std::max<int64_t>(1, loop.vec);
  if (!element || from.scope() != Scope::global || memory.scope() != Scope::shared) return nullptr;
  const Symbol ring = memory.buffer->ring;
  if (!ring || lowering.ring(ring).ring->fill != RingFill::group) return nullptr;
  const int64_t size = vec * bytes(memory.dtype);
  if (from.dtype != memory.dtype || (size != 4 && size != 8 && size != 16)) return nullptr;
  Symbol lane = "lane of one";  // a vector of one element needs no loop
  if (vec > 1) {
    if (walk.loops.empty() || walk.loops.back().extent != vec) return nullptr;
    lane = walk.loops.back().var;
    walk.loops.pop_back();
    if (walk.inside && mentions(walk.inside, lane)) return nullptr;
  }
  Buffer tensor;
  tensor.dtype = from.dtype, tensor.shape = from.shape;
  if (from.name == from.buffer->name) tensor.strides = from.buffer->strides;
  auto one = gathered_vector(placed, lane, vec, tensor, here.facts);
  if (!one) return nullptr;
  if (one->inside) one->inside = here.simplified(one->inside);
  const Stmt before = loaded_indices(walk, one->from, one->inside, lowering);
  auto part = [&](Symbol buffer, DType dtype, const std::vector<Expr>& index) {
    std::vector<RegionDim> dims = points(index);
    if (vec > 1) dims.back() = slice(dims.back().lo, vec);
    return region(buffer, dtype, std::move(dims));
  };
  std::vector<Expr> operands{part(memory.name, memory.dtype, one->place),
                             part(from.name, from.dtype, one->from)};
  if (one->inside) operands.push_back(one->inside);
  Stmt body = do_call(Intrinsic::cp_async, std::move(operands));
  if (walk.first_replica) body = if_then(walk.first_replica, body);
  return at(store->span, seq({before, wrap(walk, at(store->span, body))}));
}

}  // namespace tilelab
