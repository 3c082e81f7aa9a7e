// SPDX-License-Identifier: Apache-2.0
#include "core/passes/lowering.h"

#include "core/ir/compare.h"
#include "core/layout/layout.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

void conjuncts(const Expr& condition, std::vector<Expr>& out) {
  if (const Bin* bin = as<Bin>(condition); bin && bin->op == BinOp::land) {
    conjuncts(bin->a, out);
    conjuncts(bin->b, out);
  } else if (const Call* c = as<Call>(condition); c && c->intrinsic == Intrinsic::guard) {
    conjuncts(c->args[0], out);
  } else {
    out.push_back(condition);
  }
}

Expr guard(const Expr& condition) { return call(Intrinsic::guard, {DType::bool_}, {condition}); }

}  // namespace

Lowering::Lowering(const Func& func, const Kernel& kernel, PassContext& context)
    : context_(context),
      kernel_(kernel),
      buffers_(buffers_of(func)),
      taken_(names_in(func)),
      facts_(Facts::of(func)),
      varying_(kernel),
      threads_(kernel.block),
      come_{0, kernel.block} {
  facts_.enter(kernel, lanes());
  tilelab::walk(*kernel.body, [&](const Node& node) {
    if (const View* view = as<View>(&node)) views_.emplace(view->name, view);
    if (const Var* var = as<Var>(&node)) vars_.insert(var->name);
    return group(node.kind) != Group::expr;
  });
}

int64_t Lowering::lanes() const { return context_.target.lanes; }

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
    // The registers stay the same; only their addressing by element changes.
    auto layout = reshape(out.layout, shape, bits(out.dtype), bits(view->second->dtype));
    CHECK(layout, "the view " + name.str() + " cuts through what a thread holds");
    out.layout = *layout;
    if (view->second->dtype != out.dtype) out.name = name;
  } else {
    out.name = name;
  }
  out.dtype = view->second->dtype;
  out.shape = view->second->shape;
  return out;
}

Walk Lowering::walk(const Layout& layout, const std::vector<Symbol>& names) {
  Walk out;
  out.index.assign(layout.dims.size(), int_const(0));
  Expr thread = sub(tid(), int_const(layout.base));
  auto digits = decoding(layout, 't');
  CHECK(digits, "the threads of a layout can't be told apart");
  auto require = [&](Expr& condition, Expr next) {
    next = simplified(next);
    if (!is_int(next, 1)) condition = land(condition, next);
  };
  if (layout.base > 0) require(out.inside, ge(tid(), int_const(layout.base)));
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
      facts_.set(var, {0, digit.extent - 1});
      out.loops.push_back({var, digit.extent});
      out.index[dim] = add(out.index[dim], mul(name_ref(var), int_const(weight)));
    }
  }
  for (size_t dim = 0; dim < layout.dims.size(); ++dim) {
    out.index[dim] = simplified(out.index[dim]);
    if (padded(layout, dim)) require(out.inside, lt(out.index[dim], int_const(layout.shape[dim])));
  }
  return out;
}

Stmt Lowering::wrap(const Walk& walk, Stmt body, int64_t vec, LoopMode mode) const {
  if (walk.inside) body = if_then(walk.inside, body);
  for (size_t i = walk.loops.size(); i-- > 0;) {
    const Walk::Loop& l = walk.loops[i];
    Stmt loop = for_loop(l.var, int_const(0), int_const(l.extent), body, mode);
    if (i + 1 == walk.loops.size() && vec > 1) {
      For marked = to<For>(loop);
      marked.attrs.push_back(attr("vec", vec));
      loop = make(std::move(marked));
    }
    body = loop;
  }
  return body;
}

Expr Lowering::register_of(const Layout& layout, const std::vector<Expr>& index) const {
  Expr reg = int_const(0);
  for (size_t dim = 0; dim < layout.dims.size(); ++dim) {
    int64_t weight = capacity(layout.dims[dim]);
    for (const Digit& digit : layout.dims[dim]) {
      weight /= digit.extent;
      if (digit.kind != 'r' || digit.extent == 1) continue;
      Expr value = floormod(floordiv(index[dim], int_const(weight)), int_const(digit.extent));
      reg = add(reg, mul(value, int_const(digit.stride)));
    }
  }
  return simplified(reg);
}

bool Lowering::stays(const Expr& condition) const {
  bool stays = true;
  tilelab::walk(*condition, [&](const Node& node) {
    const Name* name = as<Name>(&node);
    stays = stays && !as<Load>(&node) && !as<Region>(&node) && !(name && vars_.count(name->id));
    return stays;
  });
  return stays;
}

Expr Lowering::drop_known(const Expr& condition) const {
  if (!condition) return nullptr;
  std::vector<Expr> parts;
  conjuncts(condition, parts);
  Expr rest;
  for (const Expr& part : parts) {
    bool holds = assumed(part);
    for (const Expr& k : known_) holds = holds || equal(k, part);
    if (!holds) rest = land(rest, part);
  }
  return rest;
}

namespace {

/// `a - b` for which the comparison says that it is not negative.
std::optional<Linear> not_negative(const Bin& bin, const Facts& facts) {
  if (!is_compare(bin.op) || !is_integer(bin.a->type.dtype)) return std::nullopt;
  const bool less = bin.op == BinOp::lt || bin.op == BinOp::le;
  if (!less && bin.op != BinOp::gt && bin.op != BinOp::ge) return std::nullopt;
  Linear out = linear_of(less ? bin.b : bin.a), other = linear_of(less ? bin.a : bin.b);
  const DType dtype = bin.a->type.dtype;
  if (!facts.exact(out, dtype) || !facts.exact(other, dtype)) return std::nullopt;
  out.add(other, -1);
  if (bin.op == BinOp::lt || bin.op == BinOp::gt) out.constant -= 1;
  return out;
}

}  // namespace

bool Lowering::assumed(const Expr& condition) const {
  const Bin* wanted = as<Bin>(condition);
  std::optional<Linear> need = wanted ? not_negative(*wanted, facts_) : std::nullopt;
  for (const Expr& fact : assumed_) {
    if (equal(fact, condition)) return true;
    const Bin* bin = as<Bin>(fact);
    std::optional<Linear> given = need && bin ? not_negative(*bin, facts_) : std::nullopt;
    if (!given) continue;
    Linear rest = *need;  // need = given + rest
    rest.add(*given, -1);
    if (facts_.range(rest).lo >= 0) return true;
  }
  return false;
}

void Lowering::assume(const Record& record) {
  std::vector<Expr> parts;
  conjuncts(lower_expr(record.values.at(0)), parts);
  for (const Expr& part : parts) {
    bool reads = false;
    tilelab::walk(*part, [&](const Node& node) {
      reads = reads || as<Load>(&node) || as<Region>(&node);
      return !reads;
    });
    if (!reads) assumed_.push_back(part);
  }
}

void Lowering::forget(const Stmt& stmt) {
  if (assumed_.empty()) return;
  tilelab::walk(*stmt, [&](const Node& node) {
    if (const Assign* assign = as<Assign>(&node))
      std::erase_if(assumed_, [&](const Expr& fact) { return mentions(fact, assign->name); });
    return group(node.kind) != Group::expr;
  });
}

Expr Lowering::in_bounds(const std::vector<Expr>& shape, const std::vector<Expr>& index) const {
  Expr all;
  for (size_t i = 0; i < shape.size(); ++i) {
    Expr zero = int_const(0, index[i]->type.dtype);
    for (Expr condition :
         {ge(index[i], zero), lt(index[i], cast(index[i]->type.dtype, shape[i]))}) {
      condition = simplified(condition);
      if (!is_int(condition, 1)) all = land(all, condition);
    }
  }
  return drop_known(all);
}

Expr Lowering::read(Symbol name, const std::vector<Expr>& index, bool silent) {
  Storage s = storage(name);
  if (s.scope() == Scope::fragment) return load(s.name, s.dtype, {register_of(s.layout, index)});
  Expr value = load(s.name, s.dtype, index);
  if (s.scope() != Scope::global) return value;
  Expr bounds = in_bounds(s.shape, index);
  if (!bounds) return value;
  Expr safe = s.buffer->safe ? s.buffer->safe : number(0, s.dtype);
  return select(silent ? bounds : guard(bounds), value, safe);
}

Stmt Lowering::write(Symbol name, const std::vector<Expr>& index, Expr value, bool silent,
                     const Walk* walk) {
  Storage s = storage(name);
  if (s.scope() == Scope::fragment)
    return store(s.name, {point(register_of(s.layout, index))}, std::move(value));
  std::vector<RegionDim> dims;
  for (const Expr& i : index) dims.push_back(point(i));
  Stmt out = store(s.name, std::move(dims), std::move(value));
  if (s.scope() == Scope::global)
    if (Expr bounds = in_bounds(s.shape, index))
      out = if_then(silent ? bounds : guard(bounds), out);
  bool visible = s.scope() == Scope::global || s.scope() == Scope::shared;
  if (visible && walk && walk->first_replica) out = if_then(walk->first_replica, out);
  return out;
}

Expr Lowering::lower_expr(const Expr& e) {
  if (!e) return e;
  if (const Load* l = as<Load>(e)) {
    std::vector<Expr> index;
    for (const Expr& i : l->index) index.push_back(simplified(lower_expr(i)));
    return at(e->span, read(l->buffer, index, false));
  }
  if (const Select* s = as<Select>(e)) {  // each side knows its condition
    Expr cond = simplified(lower_expr(s->cond)), a, b = lower_expr(s->b);
    {
      Known known(*this, cond);
      a = lower_expr(s->a);
    }
    return at(e->span, select(cond, a, b));
  }
  return simplified(map_children(e, [&](const Expr& child) { return lower_expr(child); }));
}

Stmt Lowering::short_names(const Stmt& body) const {
  auto outer = names_in(*body);
  for (const auto& [made, base] : bases_) outer.erase(made);
  struct Renamer {
    const std::unordered_map<Symbol, Symbol>& bases;
    Stmt visit(const Stmt& stmt, std::unordered_map<Symbol, int> taken) const {
      auto keep = [](const Expr& e) { return e; };
      const For* loop = as<For>(stmt);
      auto base = loop ? bases.find(loop->var) : bases.end();
      if (base == bases.end())
        return map_children(stmt, keep, [&](const Stmt& s) { return visit(s, taken); });
      for (auto& [name, count] : taken) count = 0;
      For out(*loop);
      out.var = fresh_name(base->second, taken);
      Stmt renamed_body = out.var == loop->var
                              ? loop->body
                              : substitute(loop->body, {{loop->var, name_ref(out.var)}});
      out.body = visit(renamed_body, taken);
      return make(std::move(out));
    }
  };
  return Renamer{bases_}.visit(body, outer);
}

Stmt Lowering::block_barrier() const {
  bool whole = threads_ == kernel_.block;
  return whole ? do_call(Intrinsic::block_sync, {}) : do_call(Intrinsic::role_sync, {});
}

Known::Known(Lowering& lowering, const Expr& condition)
    : lowering_(lowering),
      before_(lowering.known_.size()),
      thread_(lowering.facts_.range(lowering.tid())) {
  if (!condition) return;
  std::vector<Expr> parts;
  conjuncts(condition, parts);
  for (const Expr& part : parts) {
    if (lowering_.stays(part)) lowering_.known_.push_back(part);
    const Bin* bin = as<Bin>(part);
    const Name* name = bin ? as<Name>(bin->a) : nullptr;
    if (name && name->id == lowering_.thread_) lowering_.facts_.learn(part);
  }
}

Known::~Known() {
  lowering_.known_.resize(before_);
  lowering_.facts_.set(lowering_.thread_, thread_);
}

}  // namespace tilelab
