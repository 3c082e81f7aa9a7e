// SPDX-License-Identifier: Apache-2.0
// One marked loop as vector accesses (vectorize.h): places, predicates, values.
#include "core/passes/vectorize.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/passes/facts.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// One marked loop over `var` in [0, n).
class LoopVectorizer {
 public:
  LoopVectorizer(const For& loop, const Facts& facts, const BufferTable& buffers,
                 const Target& target, std::unordered_map<Symbol, int>& taken)
      : loop_(loop),
        var_(loop.var),
        n_(*int_value(loop.hi)),
        facts_(facts),
        buffers_(buffers),
        target_(target),
        taken_(taken) {}

  /// The loop with vector accesses; null if nothing of it can be a vector.
  Stmt run() {
    const std::optional<VectorEffect> effect = innermost(loop_.body);
    if (!effect || (!vector_target(*effect) && !mentions_any_vector(effect->value))) return nullptr;
    if (!split_conditions()) return nullptr;
    Stmt vector = rebuild(loop_.body);
    if (!vector) return nullptr;
    return all_inside_ ? if_then(all_inside_, vector, make(plain_loop())) : vector;
  }

 private:
  // ---- structure: If's around one store or atomic sum

  static std::optional<VectorEffect> innermost(const Stmt& stmt) {
    if (const If* s = as<If>(stmt)) return s->else_ ? std::nullopt : innermost(s->then_);
    const Seq* s = as<Seq>(stmt);
    if (s) return s->stmts.size() == 1 ? innermost(s->stmts[0]) : std::nullopt;
    return vector_effect(stmt);
  }

  static Stmt made(const VectorEffect& effect, std::vector<RegionDim> dims, Expr value) {
    if (!effect.sum) return store(effect.buffer, std::move(dims), std::move(value));
    const DType dtype = value->type.dtype;
    return do_call(Intrinsic::atomic_add, {region(effect.buffer, dtype, std::move(dims)), value},
                   effect.sum->attrs);
  }

  For plain_loop() const {
    For out(loop_);
    out.vec = 0;
    return out;
  }

  static std::vector<Expr> lows(const std::vector<RegionDim>& dims) {
    std::vector<Expr> out;
    for (const RegionDim& d : dims) out.push_back(d.lo);
    return out;
  }

  Expr at_first(const Expr& e) const {
    return simplify_index(substitute(e, {{var_, int_const(0)}}), facts_);
  }
  Expr at_last(const Expr& e) const {
    return simplify_index(substitute(e, {{var_, int_const(n_ - 1)}}), facts_);
  }

  // ---- addresses

  /// Whether all lanes go out at once: of sums, where the target has an instruction for them.
  bool vector_target(const VectorEffect& effect) const {
    if (!vector_place(effect.buffer, lows(effect.dims))) return false;
    if (!effect.sum) return true;
    const Buffer& into = *buffers_.at(effect.buffer);
    return into.scope == Scope::global && target_.widest_sum(into.dtype) % n_ == 0;
  }

  /// Whether the elements at `index`, var = 0 .. n - 1, are contiguous (and aligned in memory).
  bool vector_place(Symbol name, const std::vector<Expr>& index) const {
    auto it = buffers_.find(name);
    if (it == buffers_.end() || index.empty()) return false;
    const Buffer& b = *it->second;
    for (size_t i = 0; i + 1 < index.size(); ++i)
      if (mentions(index[i], var_)) return false;
    Linear last = linear_of(index.back());
    if (last.coefficient(var_) != 1 || last.nested(var_)) return false;
    if (b.scope == Scope::local) return true;
    if (!b.strides.empty() || !within_granule(b)) return false;
    Range lo = facts_.range(at_first(index.back()));
    if (lo.multiple % n_ != 0) return false;
    if (b.scope == Scope::shared && b.layout.known()) return contiguous_runs(b.layout);
    if (index.size() == 1) return true;
    return facts_.range(b.shape.back()).multiple % n_ == 0;
  }

  /// A swizzle moves granules of bytes: aligned elements of one stay neighbours.
  bool within_granule(const Buffer& b) const {
    const int64_t vector = n_ * bytes(b.dtype);
    return !b.swizzle.known() ||
           (b.swizzle.granule % vector == 0 && std::max<int64_t>(b.at, 0) % vector == 0);
  }

  /// The innermost address digit of a shared buffer runs at least n elements, and all others
  /// keep the alignment. Digits of one value say nothing.
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
    auto it = buffers_.find(name);
    return it != buffers_.end() && it->second->scope != Scope::local;
  }

  bool mentions_any_vector(const Expr& e) const {
    bool found = false;
    walk(*e, [&](const Node& node) {
      const Load* l = as<Load>(&node);
      found |= l && in_memory(l->buffer) && vector_place(l->buffer, l->index);
      return !found;
    });
    return found;
  }

  std::vector<RegionDim> slice_of(const std::vector<Expr>& index) const {
    std::vector<RegionDim> dims;
    for (size_t i = 0; i + 1 < index.size(); ++i) dims.push_back(point(index[i]));
    dims.push_back(slice(at_first(index.back()), n_));
    return dims;
  }

  // ---- predicates

  /// Collects the conditions that differ between lanes and the condition under which all hold.
  bool split_conditions() { return split_conditions(loop_.body, nullptr); }

  /// `around`: what the branches around `stmt` test without `var`. Data is read behind it only.
  bool split_conditions(const Stmt& stmt, const Expr& around) {
    if (const Seq* list = as<Seq>(stmt))
      return std::all_of(list->stmts.begin(), list->stmts.end(),
                         [&](const Stmt& s) { return split_conditions(s, around); });
    if (const If* s = as<If>(stmt)) {
      const bool inside = mentions(s->cond, var_);
      return selects_split(s->cond) && take(s->cond, reads(s->cond) ? around : nullptr) &&
             split_conditions(s->then_, inside ? around : land(around, s->cond));
    }
    bool ok = true;
    map_children(
        stmt, [&](const Expr& e) { return ok &= selects_split(e), e; },
        [](const Stmt& s) { return s; });
    return ok;
  }

  bool selects_split(const Expr& e) {
    bool ok = true;
    walk(*e, [&](const Node& node) {
      const Select* s = as<Select>(&node);
      if (s && mentions(s->cond, var_)) ok &= !reads(s->cond) && take(s->cond, nullptr);
      return ok;
    });
    return ok;
  }

  static bool reads(const Expr& e) {
    bool found = false;
    walk(*e, [&](const Node& node) { return found |= node.kind == Kind::Load, !found; });
    return found;
  }

  bool take(const Expr& condition, const Expr& around) {
    if (!mentions(condition, var_)) return true;
    Expr all = all_lanes(condition);
    if (!all) return false;
    all = simplify_index(all, facts_);
    if (!is_int(all, 1) && !implied(all)) all_inside_ = land(all_inside_, land(around, all));
    return true;
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
    if (const If* s = as<If>(stmt)) {
      Stmt inner = at(stmt->span, rebuild(s->then_));
      if (!inner || mentions(s->cond, var_)) return inner;
      return if_then(s->cond, inner);
    }
    if (const Seq* s = as<Seq>(stmt)) return rebuild(s->stmts[0]);
    const VectorEffect effect = *vector_effect(stmt);
    const bool together = vector_target(effect);
    Expr value = together ? vector_of(effect.value) : nullptr;
    bool moves = in_memory(effect.buffer) || mentions_any_vector(effect.value) ||
                 (value && packs(effect.value));
    if (!moves) return nullptr;
    if (!value) return element_by_element(effect, together, stmt->span);
    return at(stmt->span, made(effect, slice_of(lows(effect.dims)), broadcast(value, n_)));
  }

  /// Whether it converts to elements of which a register holds several: targets do two at once.
  static bool packs(const Expr& value) {
    const Cast* cast = as<Cast>(value);
    const DType to = value->type.dtype;
    return cast && is_float(to) && bits(to) == 16 && bits(cast->a->type.dtype) > bits(to);
  }

  /// The value for all lanes: a vector, or a scalar where lanes agree; null if it has no such form.
  Expr vector_of(const Expr& e) const {
    if (!mentions(e, var_)) return e;
    if (const Load* l = as<Load>(e)) {
      if (!vector_place(l->buffer, l->index)) return nullptr;
      return at(e->span, region(l->buffer, l->type.dtype, slice_of(l->index)));
    }
    if (const Select* s = as<Select>(e)) {
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

  /// `e` with its vector loads in registers: `before` fills them, where `cond` (null: always)
  /// holds. What only some lanes evaluate stays where it is.
  Expr hoisted(const Expr& e, const Expr& cond, std::vector<Stmt>& before) {
    auto under = [&](const Expr& part, const Expr& test) {
      return mentions(test, var_) ? part : hoisted(part, land(cond, test), before);
    };
    if (const Select* s = as<Select>(e)) {
      Expr test = hoisted(s->cond, cond, before), a = under(s->a, s->cond);
      return at(e->span, select(test, a, under(s->b, unary(UnOp::lnot, s->cond))));
    }
    if (const Bin* bin = as<Bin>(e); bin && is_logical(bin->op)) {
      const bool both = bin->op == BinOp::land;
      Expr a = hoisted(bin->a, cond, before);
      Expr b = under(bin->b, both ? bin->a : unary(UnOp::lnot, bin->a));
      return at(e->span, binary(bin->op, a, b));
    }
    const Load* l = as<Load>(e);
    if (!l || !in_memory(l->buffer) || !vector_place(l->buffer, l->index))
      return map_children(e, [&](const Expr& part) { return hoisted(part, cond, before); });
    Symbol temp = declare(l->buffer, l->type.dtype, before);
    Stmt fill = store(temp, {slice(int_const(0), n_)},
                      region(l->buffer, l->type.dtype, slice_of(l->index)));
    before.push_back(at(e->span, cond ? if_then(cond, fill) : fill));
    return at(e->span, load(temp, l->type.dtype, {name_ref(var_)}));
  }

  /// Vector loads into registers, one scalar step per lane, a vector store.
  Stmt element_by_element(const VectorEffect& effect, bool together, Span span) {
    std::vector<Stmt> before, after;
    Expr value = hoisted(resolved(effect.value), nullptr, before);
    Stmt step = made(effect, effect.dims, value);
    if (together && in_memory(effect.buffer)) {
      DType dtype = effect.value->type.dtype;
      Symbol temp = declare(effect.buffer, dtype, before);
      step = store(temp, {point(name_ref(var_))}, value);
      after.push_back(at(span, made(effect, slice_of(lows(effect.dims)),
                                    region(temp, dtype, {slice(int_const(0), n_)}))));
    }
    For loop = plain_loop();
    loop.body = at(span, step);
    before.push_back(make(std::move(loop)));
    before.insert(before.end(), after.begin(), after.end());
    return seq(std::move(before));
  }

  /// Selects on lane conditions resolved: all lanes are inside here.
  Expr resolved(const Expr& e) const {
    return rewrite(e, [&](const Expr& x) -> Expr {
      const Select* s = as<Select>(x);
      return s && mentions(s->cond, var_) && all_lanes(s->cond) ? s->a : x;
    });
  }

  Symbol declare(Symbol buffer, DType dtype, std::vector<Stmt>& out) {
    Buffer temp;
    temp.name = fresh_name(buffer.str() + "_v", taken_);
    temp.scope = Scope::local;
    temp.dtype = dtype;
    temp.shape = {int_const(n_)};
    Symbol name = temp.name;
    out.insert(out.begin(), make(std::move(temp)));
    return name;
  }

  const For& loop_;
  Symbol var_;
  int64_t n_;
  const Facts& facts_;
  const BufferTable& buffers_;
  const Target& target_;
  std::unordered_map<Symbol, int>& taken_;
  Expr all_inside_;
};

}  // namespace

std::optional<VectorEffect> vector_effect(const Stmt& stmt) {
  if (const Store* s = as<Store>(stmt)) return VectorEffect{s->buffer, s->dims, s->value, nullptr};
  const Do* d = as<Do>(stmt);
  const Call* sum = d ? as<Call>(d->call) : nullptr;
  if (!sum || sum->intrinsic != Intrinsic::atomic_add) return std::nullopt;
  const Region& into = to<Region>(sum->args[0]);
  return VectorEffect{into.buffer, into.dims, sum->args[1], sum};
}

Stmt vector_loop(const For& loop, const Facts& facts, const BufferTable& buffers,
                 const Target& target, std::unordered_map<Symbol, int>& taken) {
  return LoopVectorizer(loop, facts, buffers, target, taken).run();
}

}  // namespace tilelab
