// SPDX-License-Identifier: Apache-2.0
#include "core/passes/insert_barriers/barrier_accesses.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/analysis/bindings.h"
#include "core/ir/linear.h"
#include "core/ir/thread_range.h"

namespace tilelab {

static std::unordered_set<Symbol> fixed_names(const Func& func, const Kernel& kernel) {
  std::unordered_set<Symbol> names(kernel.indices.begin(), kernel.indices.end());
  for (const Stmt& dim : func.dims) names.insert(to<Dim>(dim).name);
  for (const Stmt& param : func.params) names.insert(to<Param>(param).name);
  return names;
}

/// Names that lets bind to several values, and names of lets whose values mention such a name.
static std::unordered_set<Symbol> ambiguous_lets(const Stmt& body) {
  std::unordered_set<Symbol> names;
  const Substitution once = lets_of(*body);
  const auto is_ambiguous = [&](const Let& let) {
    return !once.count(let.name) ||
           any_of(*let.value, [&](const Name& name) { return names.count(name.id) > 0; });
  };
  for (size_t before = 1; before != names.size();) {
    before = names.size();
    for_each(*body, [&](const Let& let) {
      if (is_ambiguous(let)) names.insert(let.name);
    });
  }
  return names;
}

/// Values of the other lets, with lets substituted.
static Substitution substituted_lets(const Stmt& body) {
  Substitution lets;
  const std::unordered_set<Symbol> ambiguous = ambiguous_lets(body);
  for_each(*body, [&](const Let& let) {
    if (ambiguous.count(let.name) || is_float(let.value->type.dtype)) return;
    if (contains<Load>(*let.value)) return;    // a value of memory is known by its name
    Expr value = substitute(let.value, lets);  // a let that grows too large stays a name
    if (is_smaller(*value, kMaxLetSize)) lets[let.name] = std::move(value);
  });
  return lets;
}

/// When loops begin and names are bound for the last time, in the order of the program; a loop that
/// is in no other loop binds its names when it ends. `of_tile`: the order within a tile, for which
/// a loop over tiles does not count.
class LastBindings {
 public:
  LastBindings(const Stmt& body, bool of_tile) : of_tile_(of_tile) { visit(body, false); }
  std::unordered_map<Symbol, int> begins, bound;

 private:
  void bind(const StmtNode& stmt) {
    if (const Let* let = as<Let>(&stmt)) bound[let->name] = now_;
    if (const Var* var = as<Var>(&stmt)) bound[var->name] = now_;
    if (const Assign* assign = as<Assign>(&stmt)) bound[assign->name] = now_;
  }
  void visit(const Stmt& stmt, bool inside) {
    ++now_;
    const For* loop = as<For>(stmt);
    const bool outer = !inside && (loop || as<While>(stmt) || (!of_tile_ && as<TileLoop>(stmt)));
    if (loop && outer) begins.emplace(loop->var, now_);  // of its name, the first
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s, inside || outer); });
    ++now_;
    if (outer) {
      for_each(*stmt, [&](const StmtNode& each) { bind(each); });
    } else if (!inside) {
      bind(*stmt);
    }
  }
  bool of_tile_;
  int now_ = 0;
};

BarrierAccesses::BarrierAccesses(const Func& func, const Kernel& kernel)
    : buffers_(buffers_of(func)),
      views_(views_of(*kernel.body)),
      varying_(kernel),
      fixed_(fixed_names(func, kernel)),
      lets_(substituted_lets(kernel.body)),
      ambiguous_(ambiguous_lets(kernel.body)),
      elements_(kernel, fixed_, lets_) {
  for (auto& [name, buffer] : buffers_)
    if (buffer->scope == Scope::shared && buffer->at >= 0) places_[name] = place(*buffer);
  if (const MemoryOrder order = memory_orders_in(*kernel.body); order.acquires || order.releases)
    for (Symbol name : touched(*kernel.body).written)
      if (tracked(name) && global(name)) written_.push_back(root(name));
  enter_body(kernel.body);
  std::sort(written_.begin(), written_.end(), [](Symbol a, Symbol b) { return a.str() < b.str(); });
  written_.erase(std::unique(written_.begin(), written_.end()), written_.end());
}

ByteRange BarrierAccesses::place(const Buffer& buffer) {
  return {buffer.at, buffer.at + allocated_bytes(buffer)};
}

bool BarrierAccesses::tracked(Symbol name) const {
  auto it = buffers_.find(root(name));
  return it != buffers_.end() &&
         (it->second->scope == Scope::shared || it->second->scope == Scope::global);
}

ByteRange BarrierAccesses::place_of(Symbol root) const {
  auto it = places_.find(root);
  return it == places_.end() ? ByteRange() : it->second;
}

bool BarrierAccesses::shares_memory(Symbol root) const {
  const ByteRange own = place_of(root);
  return std::any_of(places_.begin(), places_.end(), [&](const auto& each) {
    return each.first != root && each.second.lo < own.hi && own.lo < each.second.hi;
  });
}

void BarrierAccesses::enter_body(const Stmt& body) {
  for (const bool of_tile : {false, true}) {
    Invariants& out = of_tile ? of_tile_ : invariant_;
    out.clear();
    const LastBindings found(body, of_tile);
    for (const auto& [loop, begins] : found.begins)
      for (const auto& [name, bound] : found.bound)
        if (bound < begins && !varying_(name)) out[loop].insert(name);
  }
}

bool BarrierAccesses::keeps_its_value(Symbol name, bool of_tile) const {
  if (of_tile && std::find(loops_.begin(), inner_loops(), name) != inner_loops()) return true;
  const Invariants& invariants = of_tile ? of_tile_ : invariant_;
  const auto outermost = of_tile ? inner_loops() : loops_.begin();
  const auto found = outermost == loops_.end() ? invariants.end() : invariants.find(*outermost);
  return fixed_.count(name) || (found != invariants.end() && found->second.count(name));
}

void BarrierAccesses::bind(Symbol name, Expr value) {
  const auto found = lets_.find(name);
  outer_.push_back({name, found == lets_.end() ? nullptr : found->second});
  if (value)
    lets_[name] = std::move(value);
  else
    lets_.erase(name);
}

void BarrierAccesses::bind(const Stmt& stmt) {
  if (ambiguous_.empty()) return;
  const Let* let = as<Let>(stmt);
  if (let && ambiguous_.count(let->name)) {
    const bool memory = is_float(let->value->type.dtype) || contains<Load>(*let->value);
    Expr value = memory ? nullptr : substitute(let->value, lets_);
    bind(let->name, value && is_smaller(*value, kMaxLetSize) ? value : nullptr);
  } else if (!let) {
    for_each_bound(*stmt, [&](Symbol name) {
      if (ambiguous_.count(name)) bind(name, nullptr);
    });
  }
}

void BarrierAccesses::leave_scope(size_t bindings) {
  for (; outer_.size() > bindings; outer_.pop_back()) {
    auto& [name, value] = outer_.back();
    if (value)
      lets_[name] = std::move(value);
    else
      lets_.erase(name);
  }
}

bool commute(std::optional<Intrinsic> a, std::optional<Intrinsic> b) {
  if (!a || !b) return false;
  auto talks = [](Intrinsic op) {
    return op == Intrinsic::atomic_load || op == Intrinsic::atomic_store;
  };
  return a == b || talks(*a) || talks(*b);
}

bool same_thread_per_element(const MemoryAccess& before, const MemoryAccess& now, int64_t threads) {
  return before.buffer == now.buffer && before.first_thread == now.first_thread &&
         threads_disjoint(before.threads, now.threads, threads);
}

const char* did(const MemoryAccess& access) {
  return access.orders != Ordered::no ? "acquire" : access.write ? "write" : "read";
}

const char* is_done(const MemoryAccess& access) {
  return access.orders != Ordered::no ? "released" : access.write ? "written" : "read";
}

const char* does(const MemoryAccess& access) {
  if (access.orders != Ordered::no)
    return access.orders == Ordered::acquired ? "acquires" : "releases";
  return access.write ? "writes" : "reads";
}

bool BarrierAccesses::steps_over(const MemoryAccess& access, Symbol var,
                                 const std::vector<Symbol>& moving) const {
  for (size_t d = 0; d < access.lo.size(); ++d) {
    const AffineIndex lo = affine_index(access.lo[d], moving);
    const auto by = lo.only_axis();
    if (by && moving[*by] == var && std::abs(lo.factor[*by]) >= access.extents[d]) return true;
  }
  return false;
}

bool BarrierAccesses::disjoint_in_tiles(const MemoryAccess& access) const {
  const std::vector<Symbol> tile(loops_.begin(), inner_loops());
  if (tile.empty()) return false;
  MemoryAccess fixed;  // the dimensions that only the tile moves
  for (size_t d = 0; d < access.lo.size(); ++d)
    if (!any_of(*access.lo[d], [&](const Name& name) {
          return !keeps_its_value(name.id, false) &&
                 std::find(tile.begin(), tile.end(), name.id) == tile.end();
        }))
      fixed.lo.push_back(access.lo[d]), fixed.extents.push_back(access.extents[d]);
  return std::all_of(tile.begin(), tile.end(),
                     [&](Symbol var) { return steps_over(fixed, var, tile); });
}

void BarrierAccesses::validate_layout(MemoryAccess& access) const {
  if (!access.layout) return;
  for (Expr& lo : access.lo) {
    lo = substitute(lo, lets_);
    if (contains<Load>(*lo)) access.layout.reset();
  }
  const bool of_tile = disjoint_in_tiles(access);
  std::vector<Symbol> moving;  // without duplicates
  for (const Expr& lo : access.lo)
    for_each(*lo, [&](const Name& name) {
      if (keeps_its_value(name.id, of_tile)) return;
      if (std::find(loops_.begin(), loops_.end(), name.id) == loops_.end())
        access.layout.reset();
      else if (std::find(moving.begin(), moving.end(), name.id) == moving.end())
        moving.push_back(name.id);
    });
  for (Symbol var : moving)
    if (!steps_over(access, var, moving)) access.layout.reset();
}

bool BarrierAccesses::are_disjoint(const MemoryAccess& a, const MemoryAccess& b) const {
  if (a.buffer != b.buffer) return false;
  const std::vector<Expr>&first = a.lo.empty() ? a.index : a.lo,
        &second = b.lo.empty() ? b.index : b.lo;
  const auto extent = [](const MemoryAccess& access, size_t d) {
    return access.lo.empty() ? 1 : d < access.extents.size() ? access.extents[d] : INT64_MAX;
  };
  const auto invariant = [&](const Expr& e) {
    return !any_of(
        *e, [](const Load&) { return true; },
        [&](const Name& name) { return !fixed_.count(name.id); });
  };
  const size_t rank = buffers_.at(root(a.buffer))->shape.size();
  if (first.size() != rank || second.size() != rank) return false;
  for (size_t d = 0; d < rank; ++d) {
    const Expr x = substitute(first[d], lets_), y = substitute(second[d], lets_);
    if (!invariant(x) || !invariant(y)) continue;
    const auto distance = constant_difference(y, x);  // from the first box to the second
    if (distance && (*distance >= extent(a, d) || -*distance >= extent(b, d))) return true;
  }
  return false;
}

MemoryAccess BarrierAccesses::access(const Effect& effect, const Parallel* loop) const {
  MemoryAccess out;
  out.buffer = effect.buffer, out.write = effect.write, out.atomic = effect.atomic;
  out.span = effect.span, out.first_thread = first_thread_;
  out.engine = effect.who == Actor::engine;
  out.copied = effect.write && effect.who == Actor::threads && effect.when == When::group;
  const Buffer& memory = *buffers_.at(root(effect.buffer));
  const Name* slot = memory.ring && !effect.box.empty() ? as<Name>(effect.box[0].lo) : nullptr;
  if (auto bound = slot ? slots_.find(slot->id) : slots_.end(); bound != slots_.end())
    out.ring = memory.ring, out.produces = bound->second == RingOpKind::acquire;
  if (effect.element) {
    out.element = !loop;
    if (loop) return element(out, effect, *loop), out;
    for (const RegionDim& dim : effect.box) out.index.push_back(substitute(dim.lo, lets_));
    if (out.element && !effect.late()) out.threads = elements_.indices(out.index);
    return out;
  }
  if (!effect.map.known()) return out;
  out.layout = effect.map;
  for (const RegionDim& dim : effect.box)
    out.lo.push_back(dim.lo), out.extents.push_back(dim.extent);
  validate_layout(out);
  return out;
}

void BarrierAccesses::element(MemoryAccess& access, const Effect& effect,
                              const Parallel& loop) const {
  if (!loop.layout.known()) return;
  std::vector<int> uses(loop.vars.size(), 0);
  std::vector<size_t> order;  // loop variables in the order of the box's dimensions
  for (const RegionDim& dim : effect.box) {
    const AffineIndex index = affine_index(substitute(dim.lo, lets_), loop.vars);
    if (!index.affine()) return;
    int64_t extent = 1;
    for (size_t v = 0; v < loop.vars.size(); ++v) {
      if (index.factor[v] == 0) continue;
      if (index.factor[v] != 1 || extent != 1) return;
      ++uses[v];
      if (loop.layout.shape[v] != 1) order.push_back(v);
      extent = loop.layout.shape[v];
    }
    access.lo.push_back(expr_of(index.rest, dim.lo->type.dtype));
    access.extents.push_back(extent);
  }
  for (int n : uses)
    if (n != 1) return;
  access.layout = loop.layout;
  access.first_replica = access.write && !access.atomic;
  // The box's dimensions must be in the order of the loop variables (S[j, i] is a transposed box).
  if (!std::is_sorted(order.begin(), order.end())) access.layout.reset();
  validate_layout(access);
}

void BarrierAccesses::add(const std::vector<Effect>& effects, const Parallel* loop,
                          Accesses& out) const {
  for (const Effect& effect : effects)
    if (!effect.scratch && tracked(effect.buffer)) out.push_back(access(effect, loop));
}

void BarrierAccesses::collect(const Stmt& stmt, const Parallel* loop, Accesses& out) {
  if (const RingOp* op = as<RingOp>(stmt); op && op->slot) slots_[op->slot] = op->op;
  add(effects(*stmt), loop, out);
  const size_t around_it = bindings();
  bind(stmt);
  const Parallel* inner = as<Parallel>(stmt) ? as<Parallel>(stmt) : loop;
  const Role* role = as<Role>(stmt);
  const RoleThreads around = role ? enter(role->lo, role->hi - role->lo) : RoleThreads();
  const bool loops = as<For>(stmt) || as<While>(stmt) || as<TileLoop>(stmt) || role;
  if (loops) loops_.push_back({});  // without a name: no access steps with it
  for_each_stmt(*stmt, [&](const Stmt& s) { collect(s, inner, out); });
  if (loops) loops_.pop_back();
  if (role) enter(around.first, around.count);
  if (opens_scope(*stmt)) leave_scope(around_it);
}

Accesses BarrierAccesses::ordered_by(const Stmt& stmt, Ordered side, bool own_code) const {
  Accesses out;
  if (written_.empty()) return out;
  std::unordered_set<Symbol> themselves;
  MemoryAccess access;
  access.write = true, access.orders = side, access.own = own_code;
  bool orders = false;
  for_each(*stmt, [&](const StmtNode& node) {
    for (const Effect& effect : effects(node))
      if (effect.atomic) themselves.insert(root(effect.buffer));
    const MemoryOrder order = memory_order_of(node);
    if (side == Ordered::acquired ? order.acquires : order.releases)
      orders = true, access.span = node.span;
  });
  for (Symbol memory : orders ? written_ : std::vector<Symbol>{}) {
    if (themselves.count(memory)) continue;
    access.buffer = memory;
    out.push_back(access);
  }
  return out;
}

Accesses BarrierAccesses::workspaces(const Stmt& stmt, bool write) {
  Accesses out;
  if (group(stmt->kind) != Group::tile) return out;
  for (const Effect& effect : effects(*stmt))
    if (effect.scratch) {
      MemoryAccess access;
      access.buffer = effect.buffer, access.write = write, access.span = stmt->span;
      out.push_back(std::move(access));
    }
  return out;
}

bool BarrierAccesses::lanes(const Stmt& stmt) {
  const For* loop = as<For>(stmt);
  return loop && loop->mode == LoopMode::vec && !has_tile_operation(stmt) &&
         !contains<Do, While, RingOp>(*loop->body);
}

bool BarrierAccesses::of_threads(const Node& stmt) const {
  return any_of(stmt, [&](const StmtNode& node) { return varying_(node); });
}

bool BarrierAccesses::waits_for_loads(const Stmt& stmt) const {
  if (!as<Copy>(stmt) && !as<Parallel>(stmt)) return false;
  bool loads = false, fills = false;
  for_each(*stmt, [&](const StmtNode& node) {
    for (const Effect& effect : effects(node)) {
      const bool now = !effect.late() && tracked(effect.buffer);
      loads |= now && !effect.write && global(effect.buffer);
      fills |= now && effect.write && !global(effect.buffer);
    }
  });
  return loads && fills;
}

}  // namespace tilelab
