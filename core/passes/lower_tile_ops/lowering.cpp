// SPDX-License-Identifier: Apache-2.0
#include "core/passes/lower_tile_ops/lowering.h"

#include "core/analysis/effects.h"
#include "core/layout/layout.h"
#include "core/targets/target.h"

namespace tilelab {

Expr guard(const Expr& condition) { return call(Intrinsic::guard, {DType::bool_}, {condition}); }

Lowering::Lowering(const Func& func, const Kernel& kernel, PassContext& context,
                   const std::unordered_set<Symbol>& elsewhere)
    : context_(context),
      func_(func),
      kernel_(kernel),
      buffers_(buffers_of(func)),
      views_(views_of(*kernel.body)),
      varying_(kernel),
      elsewhere_(elsewhere.begin(), elsewhere.end()) {
  for_each(
      *kernel.body, [&](const Var& var) { vars_.insert(var.name); },
      [&](const Role& role) { roles_by_name_[role.name] = &role; },
      [&](const Ring& ring) {
        const std::string name = ring.name.str();
        rings_[ring.name] = {&ring, fresh(name + "_full"), fresh(name + "_empty")};
        ring_table_[ring.name] = &ring;
      });
  for_each_of_host(func, [&](const TensorMap& map) { maps_.emplace(map.name, &map); });
}

Stmt Lowering::lower_body() {
  LoweringScope here;
  here.facts = RangeAnalysis::of(func_);
  here.facts.enter(kernel_, static_cast<int>(lanes()));
  here.threads = kernel_.block;
  here.range = {0, kernel_.block};
  here.guards = guards_accesses(func_);
  const Stmt body = drop_needless_fences(join_leaders(role_body(kernel_.body, here)));
  return short_names(merge_barriers(body));
}

int64_t Lowering::lanes() const { return context_.target.lanes; }

Stmt Lowering::refuse(const Node& node, const std::string& what) const {
  context_.diagnostics.report(Diag::pass_not_built, node.span, "lower_tile_ops", what);
  return nullptr;
}

Symbol Lowering::fresh(Symbol base) {
  if (taken_.empty()) {
    taken_ = names_in(func_);
    for (Symbol name : elsewhere_) taken_.emplace(name, 0);
  }
  Symbol name = fresh_name(base, taken_);
  bases_.emplace(name, base);
  return name;
}

Storage Lowering::storage(Symbol name) const {
  auto view = views_.find(name);
  if (view == views_.end()) {
    auto it = buffers_.find(name);
    CHECK(it != buffers_.end(), "no buffer " + name.str());
    const Buffer& b = *it->second;
    return {&b, b.name, b.dtype, b.shape, b.layout};
  }
  Storage out = storage(view->second->buffer);
  std::vector<int64_t> shape;
  for (const Expr& extent : view->second->shape) shape.push_back(int_value(extent).value_or(0));
  if (out.scope() == Scope::fragment) {
    // The registers are unchanged; only the mapping of elements to them differs.
    auto layout = reshape(out.layout, shape, bits(out.dtype), bits(view->second->dtype));
    CHECK(layout, "the view " + name.str() + " cuts through the elements of a thread");
    out.layout = *layout;
    if (view->second->dtype != out.dtype) out.name = name;
  } else {
    out.name = name;
  }
  out.dtype = view->second->dtype;
  out.shape = view->second->shape;
  return out;
}

std::optional<Layout> Storage::addresses() const {
  if (!buffer->layout.known() || buffer->where.known()) return std::nullopt;
  if (buffer->name == name) return buffer->layout;
  Index extents;
  for (const Expr& extent : shape) extents.push_back(int_value(extent).value_or(0));
  return reshape(buffer->layout, extents, bits(buffer->dtype), bits(dtype));
}

const Lowering::Writers& Lowering::all_writers() {
  if (writers_) return *writers_;
  writers_.emplace();
  for_each(*kernel_.body, [&](const StmtNode& node) {
    for (const Effect& effect : effects(node)) {
      if (!effect.write) continue;
      writers_->of[effect.buffer].push_back(as<Copy>(&node));
      if (effect.who == Actor::threads) writers_->by_threads.insert(views_.base_of(effect.buffer));
    }
  });
  return *writers_;
}

std::vector<const Copy*> Lowering::writers(Symbol buffer) {
  auto it = all_writers().of.find(buffer);
  return it == all_writers().of.end() ? std::vector<const Copy*>() : it->second;
}

bool Lowering::filled_by_threads(Symbol buffer) {
  const Symbol base = views_.base_of(buffer);
  const auto memory = buffers_.find(base);
  if (memory == buffers_.end() || memory->second->scope != Scope::shared) return false;
  const Symbol slots = memory->second->ring;  // whose operations order threads and matrix units
  if (slots && ring(slots).ring->fill == RingFill::sync) return false;
  if (slots && ring(slots).ring->fill == RingFill::tx && fences_at_barriers()) return false;
  return all_writers().by_threads.count(base);
}

bool Lowering::fences_at_barriers() {
  if (!fences_at_barriers_)
    fences_at_barriers_ =
        target().proxy_fence && (has_partial_readers(kernel_, views_) || changes_slots());
  return *fences_at_barriers_;
}

bool Lowering::changes_slots() {
  const auto& stored = all_writers().by_threads;
  return std::any_of(stored.begin(), stored.end(), [&](Symbol name) {
    const auto memory = buffers_.find(name);
    const Symbol slots = memory == buffers_.end() ? Symbol() : memory->second->ring;
    return slots && ring(slots).ring->fill == RingFill::tx;
  });
}

Walk Lowering::walk(const Layout& layout, const std::vector<Symbol>& names, LoweringScope& here) {
  Walk out;
  out.index.assign(layout.dims.size(), int_const(0));
  Expr thread = sub(here.tid(), int_const(layout.base));
  auto digits = decoding(layout, 't');
  CHECK(digits, "the threads of a layout are not distinct");
  auto require = [&](Expr& condition, Expr next) {
    next = here.simplified(next);
    if (!is_int(next, 1)) condition = land(condition, next);
  };
  if (layout.base > 0) require(out.inside, ge(here.tid(), int_const(layout.base)));
  require(out.inside, lt(thread, int_const(extent(layout, 't') - layout.base)));
  for (const Decode& d : *digits) {
    Expr value = thread;
    if (d.modulus) value = floormod(value, int_const(d.modulus));
    value = floordiv(value, int_const(d.digit.stride));
    if (d.guard) require(out.inside, lt(value, int_const(d.digit.extent)));
    if (d.digit.extent == 1) continue;
    if (d.dim < 0)
      require(out.first_replica, eq(value, int_const(0)));
    else
      out.index[d.dim] = add(out.index[d.dim], mul(value, int_const(d.weight)));
  }
  for (size_t dim = 0; dim < layout.dims.size(); ++dim) {
    int64_t weight = capacity(layout.dims[dim]);
    for (const Digit& digit : layout.dims[dim]) {
      weight /= digit.extent;
      if (digit.kind == 't' || digit.extent == 1) continue;
      Symbol var = fresh(names.empty() ? Symbol("v") : names[std::min(dim, names.size() - 1)]);
      here.facts.set(var, {0, digit.extent - 1});
      out.loops.push_back({var, digit.extent});
      out.index[dim] = add(out.index[dim], mul(name_ref(var), int_const(weight)));
    }
  }
  for (size_t dim = 0; dim < layout.dims.size(); ++dim) {
    out.index[dim] = here.simplified(out.index[dim]);
    if (padded(layout, dim)) require(out.inside, lt(out.index[dim], int_const(layout.shape[dim])));
  }
  return out;
}

Walk Lowering::all_of(const std::vector<int64_t>& extents, LoweringScope& here) {
  Walk walk;
  for (int64_t extent : extents) {
    Symbol var = fresh("v");
    here.facts.set(var, {0, extent - 1});
    walk.loops.push_back({var, extent});
    walk.index.push_back(name_ref(var));
  }
  return walk;
}

Stmt joined(const Stmt& body, Lowering& lowering) {
  std::unordered_map<Symbol, Symbol> names;
  auto bound = [&](const Stmt& stmt) {
    if (const Let* let = as<Let>(stmt)) names.emplace(let->name, lowering.fresh(let->name));
    if (const Var* var = as<Var>(stmt)) names.emplace(var->name, lowering.fresh(var->name));
  };
  if (const Seq* several = as<Seq>(body))
    for (const Stmt& stmt : several->stmts) bound(stmt);
  else
    bound(body);
  return names.empty() ? body : rename(body, names);
}

Stmt wrap(const Walk& walk, Stmt body, int64_t vec, LoopMode mode) {
  if (walk.inside) body = if_then(walk.inside, body);
  for (size_t i = walk.loops.size(); i-- > 0;) {
    const Walk::Loop& l = walk.loops[i];
    Stmt loop = for_loop(l.var, int_const(0), int_const(l.extent), body, mode);
    if (i + 1 == walk.loops.size() && vec > 1) {
      For marked = to<For>(loop);
      marked.vec = vec;
      loop = make(std::move(marked));
    }
    body = loop;
  }
  return body;
}

bool Lowering::is_invariant_condition(const Expr& condition) const {
  return !contains<Load, Region>(*condition) && !mentions_any(*condition, vars_);
}

Expr Lowering::read(Symbol name, const std::vector<Expr>& index, bool silent,
                    const LoweringScope& here) const {
  Storage s = storage(name);
  if (s.spread()) return load(s.name, s.dtype, {here.register_of(s.layout, index)});
  Expr value = load(s.name, s.dtype, index);
  if (s.scope() != Scope::global) return value;
  Expr bounds = here.in_bounds(s.shape, index);
  if (!bounds) return value;
  Expr safe = s.buffer->safe ? s.buffer->safe : number(0, s.dtype);
  return select(silent ? bounds : guard(bounds), value, safe);
}

Stmt Lowering::write(Symbol name, const std::vector<Expr>& index, Expr value, bool silent,
                     const Walk* walk, const LoweringScope& here) const {
  Storage s = storage(name);
  if (s.spread())
    return store(s.name, {point(here.register_of(s.layout, index))}, std::move(value));
  Stmt out = store(s.name, points(index), std::move(value));
  if (s.scope() == Scope::global)
    if (Expr bounds = here.in_bounds(s.shape, index))
      out = if_then(silent ? bounds : guard(bounds), out);
  if (s.visible() && walk && walk->first_replica) out = if_then(walk->first_replica, out);
  return out;
}

Expr Lowering::expr(const Expr& e, const LoweringScope& here) const {
  if (!e) return e;
  const Expr out = with_reads(e, here);
  return as<Load>(e) || as<Select>(e) ? out : here.simplified(out);
}

Expr Lowering::with_reads(const Expr& e, const LoweringScope& here) const {
  if (const Load* l = as<Load>(e)) {
    std::vector<Expr> index;
    for (const Expr& i : l->index) index.push_back(here.simplified(with_reads(i, here)));
    return at(e->span, read(l->buffer, index, false, here));
  }
  if (const Select* s = as<Select>(e)) {  // each side knows its condition
    Expr cond = here.simplified(expr(s->cond, here)), b = expr(s->b, here);
    return at(e->span, select(cond, expr(s->a, where(here, cond)), b));
  }
  return map_children(e, [&](const Expr& child) { return with_reads(child, here); });
}

namespace {

/// Gives loops the shortest name that is free in their scope.
class ShortNames {
 public:
  ShortNames(const std::unordered_map<Symbol, Symbol>& bases, std::unordered_map<Symbol, int> outer)
      : bases_(bases) {
    for (const auto& [name, count] : outer)
      if (!bases.count(name)) taken_.insert(name);
  }

  Stmt visit(const Stmt& stmt) {
    auto rename = [&](const Expr& e) { return names_.empty() ? e : substitute(e, names_); };
    const For* loop = as<For>(stmt);
    auto base = loop ? bases_.find(loop->var) : bases_.end();
    if (base == bases_.end())
      return map_children(stmt, rename, [&](const Stmt& s) { return visit(s); });
    const Symbol name = free_name(base->second);
    For out(*loop);
    for (Expr* bound : {&out.lo, &out.hi, &out.step})
      if (*bound) *bound = rename(*bound);
    taken_.insert(name);
    out.var = name;
    if (name != loop->var) names_.emplace(loop->var, name_ref(name, loop->lo->type));
    out.body = visit(loop->body);
    names_.erase(loop->var);
    taken_.erase(name);
    return make(std::move(out));
  }

 private:
  Symbol free_name(Symbol base) {
    if (!taken_.count(base)) return base;
    // Numbers below the first one that no loop ever had are names of the kernel.
    auto [first, fresh] = first_number_.emplace(base, 1);
    for (int number = first->second;; ++number) {
      const Symbol name(base.str() + "_" + std::to_string(number));
      if (taken_.count(name)) continue;
      if (fresh) first->second = number;
      return name;
    }
  }

  const std::unordered_map<Symbol, Symbol>& bases_;  // of the loops generated here
  std::unordered_set<Symbol> taken_;
  std::unordered_map<Symbol, int> first_number_;
  Substitution names_;
};

}  // namespace

Stmt Lowering::short_names(const Stmt& body) const {
  std::unordered_map<Symbol, Symbol> loops;  // other generated names are unchanged
  for_each(*body, [&](const For& loop) {
    if (auto it = bases_.find(loop.var); it != bases_.end()) loops.insert(*it);
  });
  // A spliced body may bind the name of its loop once more.
  for_each(
      *body, [&](const Let& let) { loops.erase(let.name); },
      [&](const Var& var) { loops.erase(var.name); });
  if (loops.empty()) return body;
  auto outer = names_in(*body);
  auto keep = [&](Symbol name) { outer.try_emplace(name, 0); };
  for (Symbol index : kernel_.indices) keep(index);
  for_each_argument(func_, keep);
  return ShortNames(loops, std::move(outer)).visit(body);
}

Stmt Lowering::block_barrier(const LoweringScope& here) const {
  if (!here.all_threads_reach())
    return do_call(Intrinsic::range_sync, {int_const(here.range.lo), int_const(here.range.hi)});
  bool whole = here.threads == block();
  return whole ? do_call(Intrinsic::block_sync, {}) : do_call(Intrinsic::role_sync, {});
}

LoweringScope Lowering::where(const LoweringScope& here, const Expr& condition) const {
  LoweringScope out = here;
  if (!condition) return out;
  std::vector<Expr> parts;
  conjuncts(condition, parts);
  for (const Expr& part : parts) {
    if (!is_invariant_condition(part)) continue;
    out.known.push_back(part);
    out.facts.learn(part);
  }
  return out;
}

}  // namespace tilelab
