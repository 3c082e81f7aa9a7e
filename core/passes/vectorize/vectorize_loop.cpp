// SPDX-License-Identifier: Apache-2.0
// Rewrites one marked loop to vector accesses (vectorize.h): addresses, predicates, values.
#include "core/passes/vectorize/vectorize.h"

#include <algorithm>
#include <unordered_set>

#include "core/analysis/access.h"
#include "core/analysis/ranges.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/passes/shared/lane_body.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// One marked loop over `var` in [0, n): each statement for all lanes, one after another.
class LoopVectorizer {
 public:
  LoopVectorizer(const For& loop, const RangeAnalysis& facts, VectorContext& context)
      : loop_(loop), var_(loop.var), n_(*int_value(loop.hi)), facts_(facts), context_(context) {}

  /// The loop with vector accesses; null if nothing can be vectorized.
  Stmt run() {
    const auto lanes = lane_body(loop_, facts_, context_.taken);
    if (!lanes) return nullptr;
    for (const Stmt& array : lanes->arrays) arrays_[to<Buffer>(array).name] = &to<Buffer>(array);
    for_each(
        *lanes->body, [&](const Let& let) { inside_.insert(let.name); },
        [&](const For& inner) { inside_.insert(inner.var); });
    if (!lanes_are_independent(lanes->body, loop_, context_.views)) return nullptr;
    split_conditions(lanes->body, nullptr);
    std::vector<Stmt> out = lanes->arrays;
    out.push_back(rebuild(lanes->body));
    if (!moves_) return nullptr;
    Stmt vector = seq(std::move(out));
    return all_inside_ ? if_then(all_inside_, vector, make(plain_loop())) : vector;
  }

 private:
  static Stmt made(const VectorEffect& effect, std::vector<RegionDim> dims, Expr value) {
    if (!effect.call) return store(effect.buffer, std::move(dims), std::move(value));
    std::vector<Expr> args = effect.call->args;
    args[0] = region(effect.buffer, value->type.dtype, std::move(dims));
    args[1] = std::move(value);
    return do_call(effect.call->intrinsic, std::move(args), effect.call->attrs);
  }

  For plain_loop() const {
    For out(loop_);
    out.vec = 0;
    return out;
  }

  Expr at_first(const Expr& e) const {
    return simplify_index(substitute(e, {{var_, int_const(0)}}), facts_);
  }
  Expr at_last(const Expr& e) const {
    return simplify_index(substitute(e, {{var_, int_const(n_ - 1)}}), facts_);
  }

  // ---- addresses

  /// Whether one instruction writes all lanes: for sums, if the target has an instruction for them.
  bool vector_target(const VectorEffect& effect) const {
    if (!vector_place(effect.buffer, lows(effect.dims))) return false;
    if (!effect.is_sum()) return true;
    const Buffer& into = *buffer(effect.buffer);
    return into.scope == Scope::global && context_.target.widest_sum(into.dtype) % n_ == 0;
  }

  /// Null if unknown.
  const Buffer* buffer(Symbol name) const {
    if (auto array = arrays_.find(name); array != arrays_.end()) return array->second;
    const auto found = context_.buffers.find(name);
    return found == context_.buffers.end() ? nullptr : found->second;
  }

  /// Whether the elements at `index`, var = 0 .. n - 1, are contiguous (and aligned in memory).
  bool vector_place(Symbol name, const std::vector<Expr>& index) const {
    const Buffer* found = buffer(name);
    if (!found || !is_contiguous_along(index, var_)) return false;
    const Buffer& b = *found;
    if (b.scope == Scope::local) return true;
    if (n_ > context_.target.widest_access(bits(b.dtype))) return false;
    if (!b.strides.empty() || !within_granule(b)) return false;
    Range lo = facts_.range(at_first(index.back()));
    if (lo.multiple % n_ != 0) return false;
    if (b.scope == Scope::shared && b.layout.known()) return contiguous_runs(b.layout);
    if (index.size() == 1) return true;
    return facts_.range(b.shape.back()).multiple % n_ == 0;
  }

  /// A swizzle moves granules of bytes: aligned elements within a granule remain contiguous.
  bool within_granule(const Buffer& b) const {
    const int64_t vector = n_ * bytes(b.dtype);
    return !b.swizzle.known() ||
           (b.swizzle.granule % vector == 0 && std::max<int64_t>(b.at, 0) % vector == 0);
  }

  /// Whether the innermost address digit of a shared buffer spans at least n elements, and all
  /// others keep the alignment. Digits of extent 1 are ignored.
  bool contiguous_runs(const Layout& layout) const {
    const Digit* inner = nullptr;
    if (!layout.dims.empty())
      for (const Digit& digit : layout.dims.back())
        if (digit.extent != 1) inner = &digit;
    if (!inner || inner->stride != 1 || inner->extent % n_ != 0) return false;
    for (const Digits& dim : layout.dims)
      for (const Digit& digit : dim)
        if (digit.extent != 1 && &digit != inner && digit.stride % n_ != 0) return false;
    return true;
  }

  bool in_memory(Symbol name) const {
    const Buffer* found = buffer(name);
    return found && found->scope != Scope::local;
  }

  bool mentions_any_vector(const Expr& e) const {
    return any_of(
        *e, [&](const Load& l) { return in_memory(l.buffer) && vector_place(l.buffer, l.index); });
  }

  std::vector<RegionDim> slice_of(const std::vector<Expr>& index) const {
    std::vector<RegionDim> dims;
    for (size_t i = 0; i + 1 < index.size(); ++i) dims.push_back(point(index[i]));
    dims.push_back(slice(at_first(index.back()), n_));
    return dims;
  }

  // ---- predicates

  /// Collects the conditions that differ between lanes and the condition under which all hold.
  /// `around`: the lane-invariant conditions around `stmt`, which guard its loads.
  void split_conditions(const Stmt& stmt, const Expr& around) {
    if (const Seq* list = as<Seq>(stmt)) {
      for (const Stmt& each : list->stmts) split_conditions(each, around);
    } else if (const For* loop = as<For>(stmt)) {
      split_conditions(loop->body, around);
    } else if (const If* s = as<If>(stmt)) {
      if (differs(s->cond)) return;
      take_selects(s->cond);
      take(s->cond, contains<Load>(*s->cond) ? around : nullptr);
      const bool inside = mentions(s->cond, var_);
      split_conditions(s->then_, inside ? around : land(around, s->cond));
      if (!inside && s->else_) split_conditions(s->else_, land(around, unary(UnOp::lnot, s->cond)));
    } else {
      for_each_expr(*stmt, [&](const Expr& e) { take_selects(e); });
    }
  }

  /// Whether the condition must be evaluated per lane: no scalar condition implies it for all.
  bool differs(const Expr& cond) const {
    if (!mentions(cond, var_)) return false;
    return !all_lanes(cond) || mentions_any(*cond, inside_) ||
           (contains<Load>(*cond) && !inside_.empty());
  }
  /// The same for a select, which cannot test data for all lanes. Two versions of code pay only
  /// where its values are in memory.
  bool chooses(const Select& s) const {
    if (differs(s.cond)) return true;
    const auto loads = [&](const Load& load) { return in_memory(load.buffer); };
    return mentions(s.cond, var_) &&
           (contains<Load>(*s.cond) || !(any_of(*s.a, loads) || any_of(*s.b, loads)));
  }
  void take_selects(const Expr& e) {
    for_each(*e, [&](const Select& s) {
      if (!chooses(s)) take(s.cond, nullptr);
    });
  }

  void take(const Expr& condition, const Expr& around) {
    if (!mentions(condition, var_)) return;
    const Expr all = simplify_index(all_lanes(condition), facts_);
    if (!is_int(all, 1) && !implied(all)) all_inside_ = land(all_inside_, land(around, all));
  }

  bool implied(const Expr& condition) const {
    std::vector<Expr> parts;
    for (Expr rest = all_inside_; rest;) {
      const Bin* both = as<Bin>(rest);
      if (!both || both->op != BinOp::land) return equal(rest, condition);
      if (equal(both->b, condition)) return true;
      rest = both->a;
    }
    return false;
  }

  /// A condition without `var` that implies `condition` for every lane; null if none is known.
  Expr all_lanes(const Expr& condition) const {
    if (!mentions(condition, var_)) return condition;
    if (const Call* c = as<Call>(condition); c && c->intrinsic == Intrinsic::guard)
      return all_lanes(c->args[0]);
    const Bin* bin = as<Bin>(condition);
    if (!bin) return nullptr;
    if (bin->op == BinOp::land) {
      Expr a = all_lanes(bin->a), b = all_lanes(bin->b);
      return a && b ? land(a, b) : nullptr;
    }
    if (!is_compare(bin->op) || is_float(bin->a->type.dtype)) return nullptr;
    Linear left = linear_of(bin->a), right = linear_of(bin->b);
    left.add(right, -1);
    int64_t c = left.coefficient(var_);
    if (c == 0 || left.nested(var_)) return nullptr;
    bool less = bin->op == BinOp::lt || bin->op == BinOp::le;
    if (!less && bin->op != BinOp::gt && bin->op != BinOp::ge) return nullptr;
    return hardest_bound(*bin, c, less);
  }

  /// The comparison at the lane where it is hardest to hold.
  Expr hardest_bound(const Bin& bin, int64_t c, bool less) const {
    const Expr whole = binary(bin.op, bin.a, bin.b);
    if (c == 1 && bin.op == BinOp::lt && !mentions(bin.b, var_))
      return binary(BinOp::le,
                    simplify_index(add(at_first(bin.a), int_const(n_, bin.a->type.dtype)), facts_),
                    bin.b);
    const bool hardest_last = less == (c > 0);
    return hardest_last ? at_last(whole) : at_first(whole);
  }

  // ---- values

  Stmt rebuild(const Stmt& stmt) {
    if (stmt->kind == Kind::Let) return stmt;
    if (const If* s = as<If>(stmt)) return on_line(stmt->span, rebuilt(*s));
    if (const For* s = as<For>(stmt)) {
      For loop(*s);
      const RangeAnalysis around = facts_;
      facts_.enter(loop);
      loop.body = rebuild(s->body);
      facts_ = around;
      return at(stmt->span, make(std::move(loop)));
    }
    if (const Seq* list = as<Seq>(stmt)) {
      std::vector<Stmt> out;
      for (const Stmt& each : list->stmts) out.push_back(rebuild(each));
      return seq(std::move(out));
    }
    const VectorEffect effect = *vector_effect(stmt);
    const bool together = vector_target(effect);
    Expr value = together ? vector_of(effect.value) : nullptr;
    const bool array = arrays_.count(effect.buffer);
    moves_ |= (together && in_memory(effect.buffer)) || mentions_any_vector(effect.value) ||
              (value && !array && packs(effect.value));
    if (!value) return element_by_element(effect, together, stmt->span);
    return at(stmt->span, made(effect, slice_of(lows(effect.dims)), broadcast(value, n_)));
  }

  Stmt rebuilt(const If& branch) {
    if (differs(branch.cond)) {
      Hoisted loads;
      If lane(branch);
      lane.cond = hoisted(branch.cond, nullptr, loads);
      moves_ |= !loads.before.empty();
      loads.before.push_back(lane_by_lane(make(std::move(lane)), branch.span));
      return seq(std::move(loads.before));
    }
    const Stmt inner = on_line(branch.span, rebuild(branch.then_));
    if (mentions(branch.cond, var_)) return inner;
    const Stmt other = branch.else_ ? on_line(branch.span, rebuild(branch.else_)) : nullptr;
    return if_then(branch.cond, inner, other);
  }

  Stmt lane_by_lane(const Stmt& stmt, Span span) const {
    For loop = plain_loop();
    loop.body = at(span, stmt);
    return make(std::move(loop));
  }

  /// Whether it converts to packed elements, which targets convert two at once.
  static bool packs(const Expr& value) {
    const Cast* cast = as<Cast>(value);
    const DType to = value->type.dtype;
    return cast && is_float(to) && bits(to) == 16 && bits(cast->a->type.dtype) > bits(to);
  }

  /// The value for all lanes: a vector, or a scalar if it is uniform; null if it has no such form.
  Expr vector_of(const Expr& e) const {
    if (!mentions(e, var_)) return e;
    if (const Load* l = as<Load>(e)) {
      if (!vector_place(l->buffer, l->index)) return nullptr;
      return at(e->span, region(l->buffer, l->type.dtype, slice_of(l->index)));
    }
    if (const Select* s = as<Select>(e)) {
      if (chooses(*s)) return nullptr;
      if (mentions(s->cond, var_)) return vector_of(s->a);  // all lanes are inside
      Expr a = vector_of(s->a), b = vector_of(s->b);
      return a && b ? select(s->cond, broadcast(a, n_), broadcast(b, n_)) : nullptr;
    }
    if (const Bin* bin = as<Bin>(e)) {
      bool arithmetic = bin->op == BinOp::add || bin->op == BinOp::sub || bin->op == BinOp::mul ||
                        bin->op == BinOp::div;
      if (!arithmetic || !is_float(e->type.dtype)) return nullptr;
      Expr a = vector_of(bin->a), b = vector_of(bin->b);
      return a && b ? binary(bin->op, a, b) : nullptr;
    }
    if (const Cast* c = as<Cast>(e)) {
      Expr a = vector_of(c->a);
      return a ? cast(c->type.dtype, a) : nullptr;
    }
    return nullptr;
  }

  /// Vector loads before a statement, and the elements that every lane reads with their registers.
  struct Hoisted {
    std::vector<Stmt> before;
    std::vector<std::pair<Expr, Expr>> always;
  };

  /// `e` with its vector loads hoisted into registers: `out.before` loads them if `cond` (null:
  /// always) holds. Loads that only some lanes evaluate are not hoisted.
  Expr hoisted(const Expr& e, const Expr& cond, Hoisted& out) {
    auto under = [&](const Expr& part, const Expr& test) {
      return mentions(test, var_) ? found(part, out) : hoisted(part, land(cond, test), out);
    };
    if (const Select* s = as<Select>(e)) {
      Expr test = hoisted(s->cond, cond, out), a = under(s->a, s->cond);
      return at(e->span, select(test, a, under(s->b, unary(UnOp::lnot, s->cond))));
    }
    if (const Bin* bin = as<Bin>(e); bin && is_logical(bin->op)) {
      const bool both = bin->op == BinOp::land;
      Expr a = hoisted(bin->a, cond, out);
      Expr b = under(bin->b, both ? bin->a : unary(UnOp::lnot, bin->a));
      return at(e->span, binary(bin->op, a, b));
    }
    const Load* l = as<Load>(e);
    if (!l || !in_memory(l->buffer) || !vector_place(l->buffer, l->index))
      return map_children(e, [&](const Expr& part) { return hoisted(part, cond, out); });
    if (Expr known = found(e, out); known.get() != e.get()) return known;
    Symbol temp = declare(l->buffer, l->type.dtype, out.before);
    Stmt fill = store(temp, {slice(int_const(0), n_)},
                      region(l->buffer, l->type.dtype, slice_of(l->index)));
    out.before.push_back(at(e->span, cond ? if_then(cond, fill) : fill));
    Expr element = at(e->span, load(temp, l->type.dtype, {name_ref(var_)}));
    if (!cond) out.always.emplace_back(e, element);
    return element;
  }

  /// Replaces elements that are in registers already.
  static Expr found(const Expr& e, const Hoisted& out) {
    return rewrite(e, [&](const Expr& x) -> Expr {
      if (x->kind != Kind::Load) return x;
      for (const auto& [loaded, element] : out.always)
        if (equal(x, loaded)) return element;
      return x;
    });
  }

  /// Vector loads into registers, one scalar step per lane, a vector store.
  Stmt element_by_element(const VectorEffect& effect, bool together, Span span) {
    Hoisted loads;
    std::vector<Stmt> after;
    Expr value = hoisted(resolved(effect.value), nullptr, loads);
    std::vector<Stmt>& before = loads.before;
    Stmt step = made(effect, effect.dims, value);
    if (together && in_memory(effect.buffer)) {
      DType dtype = effect.value->type.dtype;
      Symbol temp = declare(effect.buffer, dtype, before);
      step = store(temp, {point(name_ref(var_))}, value);
      after.push_back(at(span, made(effect, slice_of(lows(effect.dims)),
                                    region(temp, dtype, {slice(int_const(0), n_)}))));
    }
    before.push_back(lane_by_lane(step, span));
    before.insert(before.end(), after.begin(), after.end());
    return seq(std::move(before));
  }

  /// Selects on lane conditions resolved: all lanes are inside here.
  Expr resolved(const Expr& e) const {
    return rewrite(e, [&](const Expr& x) -> Expr {
      const Select* s = as<Select>(x);
      return s && mentions(s->cond, var_) && !chooses(*s) ? s->a : x;
    });
  }

  Symbol declare(Symbol buffer, DType dtype, std::vector<Stmt>& out) {
    const Symbol name = fresh_name(buffer.str() + "_v", context_.taken);
    out.insert(out.begin(), make(new_buffer(name, Scope::local, dtype, {int_const(n_)})));
    return name;
  }

  const For& loop_;
  Symbol var_;
  int64_t n_;
  RangeAnalysis facts_;
  VectorContext& context_;
  std::unordered_map<Symbol, const Buffer*> arrays_;  // of lane_body
  std::unordered_set<Symbol> inside_;                 // names that the body binds
  Expr all_inside_;
  bool moves_ = false;  // some access is a vector
};

}  // namespace

std::optional<VectorEffect> vector_effect(const Stmt& stmt) {
  if (const Store* s = as<Store>(stmt)) return VectorEffect{s->buffer, s->dims, s->value, nullptr};
  const Call* call = called(stmt);
  if (!call ||
      (call->intrinsic != Intrinsic::atomic_add && call->intrinsic != Intrinsic::cluster_store))
    return std::nullopt;
  const Region& into = to<Region>(call->args[0]);
  return VectorEffect{into.buffer, into.dims, call->args[1], call};
}

Stmt vector_loop(const For& loop, const RangeAnalysis& facts, VectorContext& context) {
  return LoopVectorizer(loop, facts, context).run();
}

}  // namespace tilelab
