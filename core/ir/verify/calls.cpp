// SPDX-License-Identifier: Apache-2.0
// Statements in call form: where they are allowed and what their fields name, from the field lists
// (node.h, `Is`); then the rules of each kind.
#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/ir/verify/verifier.h"
#include "core/support/text.h"

namespace tilelab {

template <class T> void Verifier::call_form(const T& n) {
  std::string called = T::kCall;
  T::fields([&](const char*, auto member, Is is = Is::plain) {
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(n.*member)>>)
      if (has(is, Is::callee)) called += name(n.*member);
  });
  allowed_here(n, called);
  region_ = nullptr;
  T::fields([&](const char*, auto member, Is is = Is::plain) { field(n.*member, is, called); });
  more(n);
}

void Verifier::stmt(const Stmt& s) {
  if (!s) return;
  Span outer = here_;
  if (s->span.known()) here_ = s->span;
  const bool declares = group(s->kind) == Group::decl && s->kind != Kind::Var;
  if (!declares && s->kind != Kind::Seq) at_head_ = false;
  visit(*s, [&](const auto& n) { statement(n); });
  here_ = outer;
}

void Verifier::allowed_here(const Node& n, const std::string& called) {
  if (n.kind == Kind::Record || n.kind == Kind::Var || n.kind == Kind::View)
    in_kernel(called.c_str());
  else if (group(n.kind) == Group::tile || n.kind == Kind::Ring)
    tile_only(called.c_str());
  else if (group(n.kind) == Group::host)
    on_host(called.c_str());
}

/// Paired regions have equal extents. One element is allowed where a scalar is: it is broadcast.
void Verifier::paired(const Expr& e, Is is, const std::string& of) {
  const Region *first = region_, *second = as<Region>(e);
  if (second) region_ = second;
  if (!has(is, Is::paired) || !first || !second) return;
  if (!has(is, Is::updated) && elements(*second) == 1) return;
  const std::vector<int64_t> a = long_extents(*first), b = long_extents(*second);
  if (a != b)
    rule(of + " iterates over regions of [" + join(a, ", ") + "] and [" + join(b, ", ") +
         "] together");
}

void Verifier::barrier(const Region* box, const std::string& of) {
  const Entry* entry = box ? find(box->buffer) : nullptr;
  if (!entry || entry->scope != Scope::barrier || elements(*box) != 1)
    return rule("the barrier of " + of + " is one element of an array of barriers");
  region(*box, true);
}

void Verifier::operand(const Expr& e, Is is, const std::string& of) {
  const Region* box = as<Region>(e);
  if (has(is, Is::barrier)) return barrier(box, of);
  if (box && has(is, Is::updated | Is::paired)) return region(*box);
  if (has(is, Is::updated)) return rule("an operand of " + of + " is a region");
  expr(e);
  if (has(is, Is::typed) && !e->type.scalar()) rule("the value of " + of + " is a scalar");
}

void Verifier::field(const Expr& e, Is is, const std::string& of) {
  if (!e) {
    if (has(is, Is::updated) || (has(is, Is::positional) && !has(is, Is::optional)))
      rule("an operand of " + of + " is missing");
    return;
  }
  paired(e, is, of);
  if (has(is, Is::condition)) return boolean(e, of.c_str());
  operand(e, is, of);
  const bool converted = has(is, Is::paired) && as<Region>(e);  // element by element
  if (has(is, Is::typed) && !converted && e->type.dtype != before_)
    report(Diag::ir_type, e->span, to_string(e->type), name(before_));
  if (has(is, Is::updated)) before_ = e->type.dtype;
}

/// Whole boxes are allowed: they are printed element by element.
void Verifier::field(const std::vector<Expr>& list, Is, const std::string&) {
  for (const Expr& e : list)
    if (const Region* box = as<Region>(e))
      region(*box);
    else
      expr(e);
}

void Verifier::field(Symbol s, Is is, const std::string&) {
  if (!s) return;
  if (has(is, Is::buffer)) need(s, Entry::What::buffer, "a buffer");
  if (has(is, Is::ring)) need(s, Entry::What::ring, "a ring");
  if (has(is, Is::map)) need(s, Entry::What::map, "a tensor map");
  if (has(is, Is::value)) need(s, here_);
}

void Verifier::field(const std::vector<Symbol>& list, Is is, const std::string& of) {
  for (Symbol s : list) field(s, is, of);
}

// ---- beyond the fields

void Verifier::more(const Ring& n) {
  if (n.stages < 1 || n.stages > 1 << 16) rule("a ring has between 1 and 65536 stages");
  if (n.bytes < 0 || n.arrivals < 0 || n.lag < 0)
    rule("the counts of the ring `" + n.name.str() + "` are not negative");
  if (!at_head_)
    rule("the ring `" + n.name.str() +
         "` must be declared at the start of its kernel, where its barriers are initialized");
  rings_[n.name] = &n;
  declare(n.name, {Entry::What::ring, {}, 0, Scope::global, false});
}

void Verifier::more(const Var& n) {
  if (n.init && !n.init->type.scalar())
    rule("the first value of `" + n.name.str() + "` is a scalar");
  declare(n.name, {Entry::What::var, {n.dtype}, 0, Scope::global, false});
}

void Verifier::more(const View& n) {
  for (const Expr& e : n.shape)
    if (as<Region>(e) || (e->type != Type{DType::i32} && e->type != Type{DType::i64}))
      return rule("the shape of the view `" + n.name.str() + "` is of i32 or i64");
  const Entry* of = find(n.buffer);
  if (of && of->what == Entry::What::buffer) view_of(n, *of);
  own_name(n.name);
  declare(n.name, {Entry::What::buffer,
                   {n.dtype},
                   n.shape.size(),
                   of ? of->scope : Scope::global,
                   false,
                   of ? of->memory : nullptr,
                   &n.shape});
}

void Verifier::more(const Bind& n) {
  const Entry* tensor = find(n.buffer);
  if (tensor && (n.dim < 0 || n.dim >= static_cast<int64_t>(tensor->rank)))
    rule("`" + n.buffer.str() + "` has no dimension " + std::to_string(n.dim));
  if (n.times == 0) rule("`times` of bind is not 0");
  if (n.per < 1) rule("`per` of bind is 1 or more");
  unbound_.erase(n.name);
}

void Verifier::more(const CheckTensor& n) {
  for (const Stmt& p : func_.params)
    if (const Buffer* tensor = as<Buffer>(to<Param>(p).tensor); tensor && tensor->name == n.buffer)
      for (const Expr& extent : tensor->shape) expr(extent);
}

/// Bitwise operations require integers or booleans, all others numbers.
void Verifier::combined(bool bits, const Expr& dst, const char* what) {
  if (!dst) return;
  const DType dtype = dst->type.dtype;
  if (bits ? is_float(dtype) : dtype == DType::bool_)
    rule(std::string(what) + " cannot combine values of " + name(dtype) + " this way");
}

void Verifier::more(const Scan& n) {
  combined(false, n.dst, "a scan");
  const Region* src = as<Region>(n.src);
  if (src && (n.dim < 0 || n.dim >= static_cast<int64_t>(src->dims.size())))
    rule("`" + src->buffer.str() + "` has no dimension " + std::to_string(n.dim));
}

void Verifier::more(const Atomic& n) {
  combined(n.op >= AtomicOp::or_, n.dst, "an atomic");
  distributed_over_threads(n.layout, n.dst, "atomic");
}

void Verifier::more(const ClusterCopy& n) {
  distributed_over_threads(n.layout, n.dst, "copy_cluster");
  if (n.block)
    integer(n.block, "the rank of a block");
  else
    rule("a copy to another block needs its rank");
  const Region* dst = as<Region>(n.dst);
  const Entry* into = dst ? find(dst->buffer) : nullptr;
  if (into && into->scope != Scope::shared) rule("only shared memory belongs to a cluster");
}

void Verifier::more(const Reduce& n) {
  combined(n.op >= ReduceOp::bitand_, n.dst, "a reduction");
  if (n.nan_propagate && n.dst && !is_float(n.dst->type.dtype))
    rule("`nan_propagate` of a reduction is of floats");
  const Region* src = as<Region>(n.src);
  for (int64_t dim : n.dims)
    if (src && (dim < 0 || dim >= static_cast<int64_t>(src->dims.size())))
      return rule("`" + src->buffer.str() + "` has no dimension " + std::to_string(dim));
  if (src) reduced(n, *src);
  if (src && as<Region>(n.dst)) prepared(n);
}

/// A reduction removes each of `dims`, which are distinct.
void Verifier::reduced(const Reduce& n, const Region& src) {
  std::vector<int64_t> left;
  for (size_t d = 0; d < src.dims.size(); ++d) {
    const auto times = std::count(n.dims.begin(), n.dims.end(), static_cast<int64_t>(d));
    if (times > 1) rule("a reduction has dimension " + std::to_string(d) + " twice");
    if (times == 0 && src.dims[d].extent != 1) left.push_back(src.dims[d].extent);
  }
  const Region* dst = as<Region>(n.dst);
  if (dst && long_extents(*dst) != left)
    rule("a reduction leaves another shape than its destination `" + dst->buffer.str() + "` has");
}

void Verifier::more(const Fill& n) { distributed_over_threads(n.layout, n.dst, "fill"); }

void Verifier::more(const Copy& n) {
  distributed_over_threads(n.layout, n.dst, "copy");
  if (n.map && (n.by == CopyBy::simt || n.by == CopyBy::async))
    rule("a copy by " + std::string(name(n.by)) + " has no tensor map");
  const Region *src = as<Region>(n.src), *dst = as<Region>(n.dst);
  const Entry *from = src ? find(src->buffer) : nullptr, *into = dst ? find(dst->buffer) : nullptr;
  if (!from || !into) return;  // reported by name
  const bool loads = from->scope == Scope::global && into->scope == Scope::shared;
  const bool stores = from->scope == Scope::shared && into->scope == Scope::global;
  if (n.adds && (n.by != CopyBy::engine || !stores))
    rule("a copy that adds goes from shared memory to a tensor by engine");
  if (n.by == CopyBy::async && !loads) rule("a copy by async goes from a tensor to shared memory");
  if (n.by == CopyBy::engine && !loads && !stores)
    rule("a copy by engine goes between a tensor and shared memory");
}

void Verifier::more(const Gemm& n) {
  product(n);
  if (n.by == GemmBy::unset && from(Stage::select_instructions))
    missing(Stage::select_instructions, "no unit is assigned to the gemm");
  if (as<Region>(n.a) && as<Region>(n.b) && as<Region>(n.c)) prepared(n);
}

/// All units of the consumer free a slot of a ring with barriers.
void Verifier::arrivals(const Ring& ring) {
  const bool counts = ring.fill == RingFill::tx || ring.fill == RingFill::arrive;
  if (!counts || ring.arrivals == 0) return;
  const int64_t unit = ring.unit == Unit::lane   ? 1
                       : ring.unit == Unit::warp ? limits_.lanes
                                                 : 4 * limits_.lanes;
  for (const Role* role : roles_)
    if (role->name == ring.consumer && unit > 0 && ring.arrivals * unit != role->hi - role->lo)
      rule("a slot of the ring `" + ring.name.str() + "` is freed by " +
           std::to_string(ring.arrivals) + " arrivals of a " + std::string(name(ring.unit)) +
           ", its consumer has " + std::to_string((role->hi - role->lo) / unit));
}

/// Runs at the end of a kernel, because rings and roles may be declared in any order. In a kernel
/// without roles all threads produce and consume.
void Verifier::ring_roles() {
  if (roles_.empty()) return;
  auto exists = [&](Symbol role) {
    return !role || std::any_of(roles_.begin(), roles_.end(),
                                [&](const Role* r) { return r->name == role; });
  };
  for (const auto& [ring, n] : rings_)
    for (Symbol role : {n->producer, n->consumer})
      if (!exists(role))
        rule("the ring `" + ring.str() + "` names a role `" + role.str() + "` that is none");
  for (const auto& [name, ring] : rings_) arrivals(*ring);
  for (const RingUse& use : ring_ops_) {
    auto ring = rings_.find(use.op->ring);
    if (ring == rings_.end()) continue;
    const bool fills = use.op->op == RingOpKind::acquire || use.op->op == RingOpKind::commit;
    const Symbol wanted = fills ? ring->second->producer : ring->second->consumer;
    if (!wanted || (use.role && use.role->name == wanted)) continue;
    report(Diag::ir_rule, use.span,
           "ring_" + std::string(name(use.op->op)) + " of `" + use.op->ring.str() +
               "` is outside its role `" + wanted.str() + "`");
  }
}

void Verifier::more(const RingOp& n) {
  ring_ops_.push_back({&n, role_, here_});
  if (n.slot) declare_value(n.slot, {DType::i32});
}

void Verifier::more(const Record& n) {
  if (n.what == RecordKind::print) return;
  if (n.values.empty()) return rule("an assertion has a condition");
  boolean_type(n.values[0], "an assertion");
}

}  // namespace tilelab
