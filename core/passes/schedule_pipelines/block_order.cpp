// SPDX-License-Identifier: Apache-2.0
// The order in which blocks process the tiles of a grid. For a grid of gx by gy and panels of p
// rows:
//   T.use_swizzle(p)  ->  number = block_y * gx + block_x;  panel = number // (p * gx)
//                         rows = p, or the remainder in the last panel
//                         bx = within // rows, backwards in every second panel
//                         by = panel * p + within % rows
// Or persistent blocks process one tile after another, so that the end of a tile overlaps the
// beginning of the next:
//   kernel(grid=[gx, gy])  ->  kernel(grid=[132]): for by, bx in tiles([gy, gx], source="stride")
#include <algorithm>
#include <set>

#include "core/analysis/bindings.h"
#include "core/ir/build.h"
#include "core/ir/intrinsics/memory_order.h"
#include "core/ir/linear.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

Expr index(const Expr& e) { return cast(DType::i32, e); }

Stmt assumed(Expr condition) {
  Record out;
  out.what = RecordKind::assume;
  out.values = {std::move(condition)};
  return make(std::move(out));
}

/// That the index of a dimension of the grid is in it.
Expr in_grid(const Kernel& kernel, size_t dim) {
  const Expr at = name_ref(kernel.indices[dim]);
  return land(ge(at, int_const(0)), lt(at, index(kernel.grid[dim])));
}

/// Inserts `first` before the kernel's statements, after its leading rings.
Stmt insert_first(const Stmt& first, const Stmt& body) {
  std::vector<Stmt> stmts = statements_of(body);
  size_t after_rings = 0;
  for (size_t i = 0; i < stmts.size() && group(stmts[i]->kind) == Group::decl; ++i)
    if (as<Ring>(stmts[i])) after_rings = i + 1;
  stmts.insert(stmts.begin() + std::ptrdiff_t(after_rings), first);
  return at(body->span, seq(std::move(stmts)));
}

}  // namespace

Kernel in_panels(const Func& func, const Kernel& kernel) {
  const Attr* size = find_attr(kernel.attrs, "panel");
  Kernel out(kernel);
  if (!size || kernel.indices.size() < 2) return out;
  const Attr* order = find_attr(kernel.attrs, "panel_order");
  std::erase_if(out.attrs, [](const Attr& a) {
    return a.name == Symbol("panel") || a.name == Symbol("panel_order");
  });
  const size_t along = order && order->string == "column" ? 1 : 0, across = 1 - along;
  const Expr length = index(kernel.grid[along]), width = index(kernel.grid[across]);
  if (is_int(width, 1) || is_int(length, 1)) return out;
  std::unordered_map<Symbol, int> taken = names_in(func);
  for (size_t i : {along, across}) out.indices[i] = fresh_name("block", taken);
  auto name = [&](const char* base) { return fresh_name(base, taken); };
  const Symbol number = name("number"), panel = name("panel"), within = name("within"),
               rows = name("rows"), far = name("far");
  const Expr p = int_const(size->integer), one = int_const(1), all = mul(p, length);
  const Expr begins = mul(name_ref(panel), p), left = sub(width, begins);
  Stmt lets = seq({
      let(number, add(mul(name_ref(out.indices[across]), length), name_ref(out.indices[along]))),
      let(panel, floordiv(name_ref(number), all)),
      let(within, floormod(name_ref(number), all)),
      let(rows, select(lt(left, p), left, p)),
      let(far, floordiv(name_ref(within), name_ref(rows))),
      let(kernel.indices[along], select(eq(floormod(name_ref(panel), int_const(2)), one),
                                        sub(sub(length, one), name_ref(far)), name_ref(far))),
      let(kernel.indices[across], add(begins, floormod(name_ref(within), name_ref(rows)))),
      assumed(in_grid(kernel, along)),
      assumed(in_grid(kernel, across)),
  });
  out.body = insert_first(lets, kernel.body);
  return out;
}

namespace {

// Concurrent tiles that share operands; for tiles of unequal length, which share less.
constexpr int64_t kGroupOfTiles = 16, kGroupOfUneven = 8;

/// Extents of a dynamic grid and of its loops are taken as this to decide the order of tiles.
constexpr int64_t kTypicalExtent = 4096;

/// Iteration counts of a kernel's pipelined loops, per tile.
class IterationCounts {
 public:
  explicit IterationCounts(const Kernel& kernel)
      : kernel_(kernel), bound_(names_bound_in(*kernel.body)) {
    bound_.insert(kernel.indices.begin(), kernel.indices.end());
    const Substitution lets = lets_of(*kernel.body);
    for_each(*kernel.body, [&](const For& loop) {
      if (loop.stages > 0) bounds_.push_back({closed(loop.lo, lets), closed(loop.hi, lets)});
    });
  }

  /// Whether all tiles provably have the same count.
  bool is_uniform() const {
    return std::all_of(bounds_.begin(), bounds_.end(), [&](const auto& loop) {
      return is_same_for_all(loop.first) && is_same_for_all(loop.second);
    });
  }
  /// The difference between the last tile along a dimension of the grid and the first.
  int64_t growth(size_t dim) const {
    const auto tiles = evaluate(kernel_.grid[dim], [&](Symbol) { return kTypicalExtent; });
    const auto first = at(dim, 0), last = at(dim, tiles.value_or(1) - 1);
    return first && last ? *last - *first : 0;
  }

 private:
  /// The bound with the values of names that the kernel computes, unless it grows too large.
  static Expr closed(Expr bound, const Substitution& lets) {
    while (mentions_any(*bound, lets) && is_smaller(*bound, kMaxLetSize))
      bound = substitute(bound, lets);
    return bound;
  }

  bool is_same_for_all(const Expr& bound) const {
    return !mentions_any(*bound, bound_) && !any_of(*bound, [](const Load&) { return true; });
  }

  std::optional<int64_t> at(size_t dim, int64_t index) const {
    auto value = [&](Symbol name) -> std::optional<int64_t> {
      for (size_t d = 0; d < kernel_.indices.size(); ++d)
        if (kernel_.indices[d] == name) return d == dim ? index : 0;
      if (bound_.count(name)) return std::nullopt;
      return kTypicalExtent;
    };
    int64_t sum = 0;
    for (const auto& [from, to] : bounds_) {
      const auto lo = evaluate(from, value), hi = evaluate(to, value);
      if (!lo || !hi) return std::nullopt;
      sum += std::max<int64_t>(0, *hi - *lo);
    }
    return sum;
  }

  const Kernel& kernel_;
  std::set<Symbol> bound_;  // names whose values a block computes
  std::vector<std::pair<Expr, Expr>> bounds_;
};

/// Bytes per iteration that tiles which differ only along the dimension have in common.
int64_t shared_bytes(const Kernel& kernel, const PipelinePlan& plan, size_t dim) {
  int64_t sum = 0;
  for (const PrefetchList& list : plan.lists)
    for (const PrefetchedCopy& copy : list.copies) {
      if (!list.loop || !copy.copy) continue;
      bool same = true;
      for (const RegionDim& at : to<Region>(copy.copy->src).dims)
        same = same && !mentions(substitute(at.lo, list.names), kernel.indices[dim]);
      if (same) sum += copy.bytes();
    }
  return sum;
}

/// The dimensions of a grid in the order in which tiles are processed, the last one fastest.
/// `grouped`: groups of tiles along the last dimension run concurrently, then the next ones along
/// the others. Tiles along `backwards` are processed from the last to the first.
struct TileOrdering {
  std::vector<size_t> dims;
  bool grouped = false, uneven = false;
  std::optional<size_t> backwards;
};

/// Tiles that share operands run concurrently, most shared bytes first. If iteration counts grow
/// along a dimension, long tiles go first; in groups, so that operands shared with short tiles stay
/// in the cache.
TileOrdering order_of(const Kernel& kernel, const PipelinePlan& plan,
                      const IterationCounts& counts) {
  TileOrdering out;
  for (size_t d = kernel.grid.size(); d-- > 0;)
    if (!is_int(kernel.grid[d], 1)) out.dims.push_back(d);
  auto shared = [&](size_t d) { return shared_bytes(kernel, plan, d); };
  const auto sharing = std::stable_partition(out.dims.begin(), out.dims.end(),
                                             [&](size_t d) { return shared(d) == 0; });
  out.grouped = out.dims.end() - sharing > 1;
  std::sort(sharing, out.dims.end(), [&](size_t d, size_t other) {
    return std::pair(shared(d), d) < std::pair(shared(other), other);
  });
  auto growth = [&](size_t d) { return counts.growth(d); };
  const auto uneven =
      std::find_if(out.dims.begin(), out.dims.end(), [&](size_t d) { return growth(d) != 0; });
  if (uneven == out.dims.end()) return out;
  out.uneven = true;
  if (growth(*uneven) > 0) out.backwards = *uneven;
  out.grouped = out.dims.size() > 1;
  std::rotate(uneven, uneven + 1, out.dims.end());
  if (out.grouped) std::swap(out.dims[out.dims.size() - 2], out.dims.back());
  return out;
}

}  // namespace

PersistentBlocks persistent_blocks(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                                   int64_t processors) {
  PersistentBlocks out;
  Expr tiles = int_const(1);
  for (const Expr& extent : kernel.grid) tiles = mul(tiles, index(extent));
  const auto known = int_value(tiles);
  if (known && *known <= processors) out.refused = "all blocks run at once";
  if (contains<TileLoop>(*kernel.body)) out.refused = "they are already persistent";
  if (find_attr(kernel.attrs, "cluster")) out.refused = "they run in clusters";
  if (memory_orders_in(*kernel.body).acquires) out.refused = "they may wait for each other";
  if (!out.refused.empty()) return out;
  const IterationCounts counts(kernel);
  const TileOrdering order = order_of(kernel, plan, counts);
  std::unordered_map<Symbol, int> taken = names_in(func);
  taken.merge(names_in(kernel));  // which may have fresh names by now
  TileLoop loop;
  std::vector<Stmt> body, memory;
  for (size_t d : order.dims) {
    const bool back = order.backwards == d;
    const Symbol name = kernel.indices[d], var = back ? fresh_name("tile", taken) : name;
    loop.vars.push_back(var), loop.domain.push_back(index(kernel.grid[d]));
    if (back) body.push_back(let(name, sub(sub(loop.domain.back(), int_const(1)), name_ref(var))));
    if (!known) body.push_back(assumed(in_grid(kernel, d)));
  }
  loop.source = counts.is_uniform() ? TileSource::stride : TileSource::mailbox;
  if (!known && counts.is_uniform()) loop.stride = int_const(processors);
  if (order.grouped) {
    loop.order = TileOrder::grouped;
    loop.group = order.uneven ? kGroupOfUneven : kGroupOfTiles;
  }
  for (const Stmt& stmt : statements_of(kernel.body))
    (allocates(stmt) ? memory : body).push_back(stmt);
  loop.body = at(kernel.body->span, seq(std::move(body)));
  memory.push_back(at(kernel.body->span, make(std::move(loop))));
  Kernel fewer(kernel);
  for (size_t d : order.dims) fewer.indices[d] = fresh_name("block", taken);
  for (Expr& extent : fewer.grid) extent = int_const(1);
  fewer.grid[0] = int_const(processors);
  if (!known) fewer.grid[0] = call(Intrinsic::minimum, {DType::i32}, {tiles, fewer.grid[0]});
  if (is_int(kernel.grid[0], 1)) out.refused = "the grid has no first dimension";
  fewer.body = at(kernel.body->span, seq(std::move(memory)));
  out.kernel = make(std::move(fewer));
  out.summary = (known ? "" : "at most ") + std::to_string(processors) + " blocks for " +
                (known ? std::to_string(*known) + " " : "all ") + "tiles" +
                (counts.is_uniform() ? "" : ", fetched dynamically") +
                (order.backwards ? ", long ones first" : "");
  return out;
}

}  // namespace tilelab
