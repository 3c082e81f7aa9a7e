// SPDX-License-Identifier: Apache-2.0
// flatten: lowers buffers to flat memory. Indices become one offset: by strides for global tensors,
// by layout digits and swizzle for shared buffers, row-major for local arrays. Roles become
// conditions on tid; the generated function gets its parameter list. Operands of engines and matrix
// units become byte addresses, boxes, descriptors and barrier IDs (descriptors.cpp).
//   C[by * 128 + i, j]   ->   C[(by * 128 + i) * 1024 + j]
#include "core/passes/flatten/flatten.h"

#include <algorithm>

#include "core/analysis/dead_code.h"
#include "core/passes/pass.h"
#include "core/targets/target.h"

namespace tilelab {

Flattener::Flattener(const Func& func, PassContext& context)
    : ScopedVisitor(func),
      func_(func),
      context_(context),
      buffers_(buffers_of(func)),
      views_(views_of(*func.body)),
      dims_(facts_) {}

// ---- declarations

static Stmt flat_buffer(const Buffer& b) {
  if (b.scope == Scope::barrier) return seq({});  // IDs are at the uses
  if (b.scope != Scope::shared && b.scope != Scope::local) return make(Buffer(b));
  Buffer out(b);
  out.shape = {int_const(allocated_elements(b))};
  if (b.scope == Scope::shared) out.layout = {}, out.swizzle = {};
  return make(std::move(out));
}

Stmt Flattener::view(const View& v) const {
  View out(v);
  const Buffer& root = root_of(v.name);
  out.buffer = root.name;
  if (root.scope == Scope::global) {  // its extents may be call arguments
    const DType dtype = wide(root) ? DType::i64 : DType::i32;
    Expr all = int_const(1, dtype);
    for (const Expr& extent : v.shape) all = mul(all, cast(dtype, extent));
    out.shape = {all};
    return make(std::move(out));
  }
  out.shape = {int_const(allocated_elements(root) * bits(root.dtype) / bits(v.dtype))};
  return make(std::move(out));
}

const Buffer& Flattener::root_of(Symbol name) const {
  auto it = buffers_.find(views_.base_of(name));
  CHECK(it != buffers_.end(), "no buffer " + name.str());
  return *it->second;
}

// ---- structure

Stmt Flattener::visit(const Stmt& stmt) {
  if (const Kernel* k = as<Kernel>(stmt)) return kernel(*k);
  if (const Role* r = as<Role>(stmt)) return roles({r});
  if (const Seq* s = as<Seq>(stmt)) return list(*s);
  if (const Buffer* b = as<Buffer>(stmt)) return flat_buffer(*b);
  if (const View* v = as<View>(stmt)) return view(*v);
  if (const Do* d = as<Do>(stmt))
    if (Stmt out = machine_call(to<Call>(d->call))) return at(stmt->span, out);
  if (const Store* s = as<Store>(stmt)) return stored(*s);
  return map_inside(
      stmt, [&](const Expr& e) { return flat(e); }, [&](const Stmt& s) { return visit(s); });
}

Stmt Flattener::stored(const Store& store) {
  Store out(store);
  for (RegionDim& dim : out.dims) dim.lo = flat(dim.lo);
  out.dims = flat_dims(store.buffer, out.dims);
  out.value = flat(store.value);
  return make(std::move(out));
}

/// Consecutive roles become one chain of conditions.
Stmt Flattener::list(const Seq& list) {
  std::vector<Stmt> out;
  std::vector<const Role*> chain;
  auto end_chain = [&] {
    if (!chain.empty()) out.push_back(at(chain[0]->span, roles(chain)));
    chain.clear();
  };
  scoped([&] {
    for (const Stmt& s : list.stmts) {
      if (const Role* r = as<Role>(s)) {
        chain.push_back(r);
        continue;
      }
      end_chain();
      out.push_back(visit(s));
      bind(list, s);
    }
    end_chain();
  });
  return at(list.span, seq(std::move(out)));
}

/// Tensors, tensor maps, dims and scalars that the kernel uses, in the function's order.
std::vector<Symbol> Flattener::parameters(const Kernel& k) const {
  auto used = names_in(*k.body);
  std::vector<Symbol> out;
  for_each_argument(func_, [&](Symbol name) {
    if (used.count(name)) out.push_back(name);
  });
  return out;
}

Stmt Flattener::kernel(const Kernel& k) {
  kernel_ = &k;
  Kernel out(k);
  scoped([&] {
    enter(k);
    out.body = name_finished_registers(seq({reserve_barriers(k), visit(k.body)}));
  });
  Kernel probe(out);
  out.params = parameters(probe);
  return make(std::move(out));
}

/// Roles in program order. If they fill the block, the last one needs no condition.
Stmt Flattener::roles(const std::vector<const Role*>& chain) {
  int64_t threads = 0;
  for (const Role* r : chain) threads += r->hi - r->lo;
  const bool fill = chain.size() > 1 && threads == kernel_->block;
  Stmt out;
  for (size_t i = chain.size(); i-- > 0;) {
    const Role& r = *chain[i];
    Stmt body = role_body(r);
    if (!out && fill) {
      out = body;
      continue;
    }
    const Expr tid = name_ref("tid");
    Expr mine = land(r.lo > 0 ? ge(tid, int_const(r.lo)) : nullptr,
                     r.hi < kernel_->block || r.lo == 0 ? lt(tid, int_const(r.hi)) : nullptr);
    out = if_then(call(Intrinsic::uniform, {DType::bool_}, {mine}), body, out);
  }
  std::vector<Stmt> all;
  for (const Role* r : chain) all.push_back(group_limit(*r));
  all.push_back(out);
  return seq(std::move(all));
}

/// Rebases `tid` and `warp`, which count from the role's first thread, to the block.
Stmt Flattener::role_body(const Role& r) {
  Stmt body = r.body;
  const int64_t lanes = context_.target.lanes;
  if (r.lo > 0)
    body = substitute(body, {{"tid", sub(name_ref("tid"), int_const(r.lo))},
                             {"warp", sub(name_ref("warp"), int_const(r.lo / lanes))}});
  body = rewrite_exprs(body, [&](const Expr& e) -> Expr {
    const Call* call = as<Call>(e);
    return call && call->intrinsic == Intrinsic::leader ? leader(*call, r) : e;
  });
  return scoped([&] {
    facts_.set("tid", {r.lo, r.hi - 1});
    facts_.set("warp", {r.lo / lanes, (r.hi - 1) / lanes});
    return seq({whole_groups(r) ? register_limit(r) : nullptr, visit(body)});
  });
}

bool Flattener::whole_groups(const Role& r) const {
  const int64_t group = 4 * context_.target.lanes;
  return r.lo % group == 0 && r.hi % group == 0;
}

/// The register limit of a role's threads, if the target can redistribute registers.
Stmt Flattener::register_limit(const Role& r) const {
  const Target& target = context_.target;
  if (r.regs <= 0 || !target.register_handover) return nullptr;
  const int64_t at_launch = target.launched_registers(kernel_->block, kernel_->min_blocks());
  return do_call(Intrinsic::reg_limit, {int_const(r.regs)}, {attr("grow", r.regs > at_launch)});
}

/// The same for the warp groups that contain a role: all their warps must execute it together.
Stmt Flattener::group_limit(const Role& r) const {
  const Stmt limit = whole_groups(r) ? nullptr : register_limit(r);
  if (!limit) return nullptr;
  const int64_t group = 4 * context_.target.lanes;
  const int64_t lo = r.lo / group * group, hi = (r.hi + group - 1) / group * group;
  const Expr tid = name_ref("tid");
  const Expr mine = land(lo > 0 ? ge(tid, int_const(lo)) : nullptr,
                         hi < kernel_->block || lo == 0 ? lt(tid, int_const(hi)) : nullptr);
  return if_then(call(Intrinsic::uniform, {DType::bool_}, {mine}), limit);
}

/// The leader thread of the role, its groups or its warps.
Expr Flattener::leader(const Call& call, const Role& r) const {
  const Attr* scope = find_attr(call.attrs, "scope");
  const std::string who = scope ? scope->string : "block";
  const Expr tid = name_ref("tid");
  if (who == "block") return r.lo == 0 ? eq(tid, int_const(0)) : bool_const(false);
  if (who == "role") return eq(tid, int_const(r.lo));
  const int64_t threads = context_.target.lanes * (who == "group" ? 4 : 1);
  return eq(floormod(sub(tid, int_const(r.lo % threads)), int_const(threads)), int_const(0));
}

// ---- addresses

Expr Flattener::flat(const Expr& e) {
  if (const Load* l = as<Load>(e)) {
    std::vector<RegionDim> dims;
    for (const Expr& i : l->index) dims.push_back(point(flat(i)));
    dims = flat_dims(l->buffer, dims);
    return at(e->span, load(l->buffer, l->type.dtype, {dims[0].lo}));
  }
  Expr out = map_children(e, [&](const Expr& child) { return flat(child); });
  if (const Region* r = as<Region>(out)) {
    Region copy(*r);
    copy.dims = flat_dims(r->buffer, r->dims);
    return make(std::move(copy));
  }
  return out;
}

/// One dimension: the offset of the first element, and the width of the slice if there is one
/// (vectors are contiguous).
std::vector<RegionDim> Flattener::flat_dims(Symbol name, const std::vector<RegionDim>& dims) const {
  const Buffer& b = root_of(name);
  if (b.scope == Scope::barrier) return dims;
  int64_t width = 1;
  bool vector = false;
  for (const RegionDim& d : dims)
    if (!d.point) width *= d.extent, vector = true;
  Expr offset = simplify_index(offset_of(name, b, dims), facts_);
  return {vector ? slice(offset, width) : point(offset)};
}

Expr Flattener::offset_of(Symbol name, const Buffer& b, const std::vector<RegionDim>& dims) const {
  auto view = views_.find(name);
  const std::vector<Expr>& shape = view == views_.end() ? b.shape : view->second->shape;
  if (b.scope == Scope::shared && b.layout.known()) return shared_offset(name, b, dims);
  DType dtype = wide(b) ? DType::i64 : DType::i32;
  Expr offset = int_const(0, dtype);
  for (size_t i = 0; i < dims.size(); ++i) {
    Expr index = cast(dtype, dims[i].lo);
    if (view == views_.end() && !b.strides.empty())
      offset = add(offset, mul(index, cast(dtype, b.strides[i])));
    else
      offset = add(mul(offset, cast(dtype, shape[i])), index);
  }
  return offset;
}

/// Whether element offsets may exceed 2^31.
bool Flattener::wide(const Buffer& b) const {
  if (b.scope != Scope::global) return false;
  long double elements = 1;
  for (size_t i = 0; i < b.shape.size(); ++i) {
    long double extent = static_cast<long double>(dims_.range(b.shape[i]).hi);
    if (b.strides.empty())
      elements *= extent;
    else
      elements += extent * static_cast<long double>(dims_.range(b.strides[i]).hi);
  }
  return elements >= 2147483648.0L;
}

std::pair<Layout, int64_t> Flattener::shared_layout(Symbol name) const {
  const Buffer& b = root_of(name);
  auto it = views_.find(name);
  if (it == views_.end()) return {b.layout, bytes(b.dtype)};
  Index shape;
  for (const Expr& e : it->second->shape) shape.push_back(*int_value(e));
  auto reshaped = reshape(b.layout, shape, bits(b.dtype), bits(it->second->dtype));
  CHECK(reshaped, "the view " + name.str() + " cuts through the layout of its buffer");
  return {*reshaped, bytes(it->second->dtype)};
}

Expr Flattener::digits_offset(const Layout& layout, const std::vector<RegionDim>& dims) const {
  Expr offset = int_const(0);
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t weight = capacity(layout.dims[i]);
    for (const Digit& digit : layout.dims[i]) {
      weight /= digit.extent;
      if (digit.extent == 1) continue;
      Expr value = floordiv(cast(DType::i32, dims[i].lo), int_const(weight));
      // The most significant digit needs no modulo, so an out-of-bounds index stays out of bounds.
      if (weight * digit.extent != capacity(layout.dims[i]))
        value = floormod(value, int_const(digit.extent));
      offset = add(offset, mul(value, int_const(digit.stride)));
    }
  }
  return offset;
}

/// Moves the terms of `sum` that are provably multiples of `period` to the result.
static Linear take_whole_periods(Linear& sum, int64_t period, const RangeAnalysis& facts) {
  Linear whole, rest;
  rest.constant = (sum.constant % period + period) % period;
  whole.constant = sum.constant - rest.constant;
  for (const Linear::Term& term : sum.terms) {
    const int64_t multiple = term.coefficient % period * facts.range(term.atom).multiple;
    (multiple % period == 0 ? whole : rest).terms.push_back(term);
  }
  sum = std::move(rest);
  return whole;
}

/// Applies address digits, then the swizzle on the byte address in the arena. The swizzle permutes
/// elements only within a period. Slots and rows that are whole periods are added separately, so
/// the remainder is common to all of them, and the C compiler hoists it out of loops.
Expr Flattener::shared_offset(Symbol name, const Buffer& b,
                              const std::vector<RegionDim>& dims) const {
  const auto [layout, element] = shared_layout(name);
  const Expr offset = digits_offset(layout, dims);
  if (!b.swizzle.known()) return offset;
  const int64_t unit = std::min<int64_t>(element, b.swizzle.granule), units = element / unit;
  const int64_t line = b.swizzle.line / unit, granule = b.swizzle.granule / unit;
  const int64_t period = line * (b.swizzle.mask + 1), start = b.at / unit % period;
  Linear inside = linear_of(simplify_index(mul(offset, int_const(units)), facts_));
  const Linear whole = take_whole_periods(inside, period, facts_);
  inside.constant += start;
  const Expr from = expr_of(inside, DType::i32);
  const Expr row = binary(BinOp::band, floordiv(from, int_const(line)), int_const(b.swizzle.mask));
  const Expr swizzled = binary(BinOp::bxor, from, mul(row, int_const(granule)));
  const Expr at = add(expr_of(whole, DType::i32), sub(swizzled, int_const(start)));
  return floordiv(at, int_const(units));
}

FuncRef flatten(const FuncRef& func, PassContext& context) {
  for_each(*func->body, [&](const Ring& ring) {
    context.diagnostics.report(Diag::pass_not_built, ring.span, "flatten", "a ring");
  });
  if (!context.diagnostics.ok()) return func;
  const Stmt flat = Flattener(*func, context).visit(func->body);
  return with_body(func, eliminate_dead_code(flat));
}

}  // namespace tilelab
