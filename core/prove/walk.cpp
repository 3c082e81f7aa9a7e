// SPDX-License-Identifier: Apache-2.0
// Statements: conditions are uniform or independent of the block, loops have equal trip counts.
#include "core/prove/walk.h"

#include <algorithm>

#include "core/analysis/effects.h"
#include "core/analysis/foreign.h"
#include "core/ir/build.h"

namespace tilelab::proving {

Walk::Walk(const KernelFacts& kernel, const Blocks& blocks)
    : ScopedVisitor(kernel.lanes),
      kernel_(kernel),
      blocks_(blocks),
      body_(kernel.body_of(blocks)),
      depends_(kernel, blocks, body_) {}

void Walk::run() {
  const Kernel& kernel = kernel_.launch.kernel;
  enter(kernel);
  for (size_t a = 0; a < kernel.indices.size() && a < blocks_.size(); ++a)
    facts_.set(kernel.indices[a], {blocks_[a].first, blocks_[a].end - 1});
  stmt(body_);
}

void Walk::differ(std::string why) {
  auto known = std::find_if(differences_.begin(), differences_.end(),
                            [&](const Unproved& one) { return one.span == at_ && one.why == why; });
  if (known == differences_.end()) differences_.push_back({at_, std::move(why)});
}

std::string Walk::text(Dependence what) const {
  if (what & kData) return "data";
  std::string out;
  const std::vector<Symbol>& indices = kernel_.launch.kernel.indices;
  for (size_t a = 0; a < indices.size() && a < 3; ++a)
    if (what & (1 << a)) out += (out.empty() ? "" : " and ") + indices[a].str();
  return out;
}

/// The nested statement, in a separate scope.
void Walk::body(const Stmt& s) {
  if (s) scoped([&] { stmt(s); });
}

void Walk::stmt(const Stmt& s) {
  if (s->span.known()) at_ = s->span;
  switch (s->kind) {
    case Kind::Seq:
      for (const Stmt& one : to<Seq>(s).stmts) stmt(one);
      return;
    case Kind::Let: return let(to<Let>(s));
    case Kind::If: return branch(to<If>(s));
    case Kind::For: return loop(to<For>(s));
    case Kind::While:
      same(to<While>(s).cond, "how often a loop runs");
      expr(to<While>(s).cond);
      ++conditions_;
      body(to<While>(s).body);
      --conditions_;
      return;
    case Kind::Parallel: {
      for (const Expr& e : to<Parallel>(s).extents) same(e, "the extent of T.Parallel");
      for (Symbol var : to<Parallel>(s).vars) lets_.erase(var);
      each_inside(s, [&](const Stmt& one) { stmt(one); });
      return fills(to<Parallel>(s));
    }
    case Kind::Role: return each_inside(s, [&](const Stmt& one) { stmt(one); });
    case Kind::TileLoop: return differ("a persistent loop distributes its tiles over the blocks");
    case Kind::Record: return record(to<Record>(s));
    default: return operation(*s);
  }
}

void Walk::let(const Let& n) {
  expr(n.value);
  lets_.erase(n.name);
  if (!is_integer(n.value->type.dtype)) return;
  facts_.bind(n);
  if (constant_meaning(n.value)) lets_.emplace(n.name, n.value);
}

/// Whether the expression has the same value wherever its name is used.
bool Walk::constant_meaning(const Expr& e) const {
  return is_smaller(*e, kMaxLetSize) && !mentions_any(*e, kernel_.vars) &&
         !contains<Load, Region>(*e) && is_pure(e);
}

void Walk::branch(const If& n) {
  if (is_native(n)) return body(n.else_);  // as the simulator
  expr(n.cond);
  const Span here = at_;
  if (auto known = facts_.decide(simplify_index(n.cond, facts_)))
    return body(*known ? n.then_ : n.else_);
  if (!alike(n.cond)) differ("a condition depends on " + text(depends_(n.cond)));
  ++conditions_;
  for (bool holds : {true, false}) {
    at_ = here;
    scoped([&] { learn(n.cond, holds), body(holds ? n.then_ : n.else_); });
  }
  --conditions_;
}

void Walk::loop(const For& n) {
  for (const Expr& bound : {n.lo, n.hi, n.step})
    if (bound) expr(bound), same(bound, "how often a loop runs");
  const bool runs = facts_.range(n.hi).lo > facts_.range(n.lo).hi;  // at least once
  lets_.erase(n.var);
  conditions_ += !runs;
  scoped([&] { enter(n), stmt(n.body); });
  conditions_ -= !runs;
}

/// Each block prints separately.
void Walk::record(const Record& n) {
  if (n.what == RecordKind::print) return differ("every block prints");
  for (const Expr& value : n.values) expr(value);
  if (!n.values.empty() && !alike(n.values[0]))
    differ("an assertion depends on " + text(depends_(n.values[0])));
}

/// Tile operations and single statements: their operands and expressions.
void Walk::operation(const Node& n) {
  const std::vector<Operand> operands = operands_of(n);
  for_each_expr(n, [&](const Expr& e) {
    auto own = std::find_if(operands.begin(), operands.end(),
                            [&](const Operand& o) { return o.region == e.get(); });
    if (own == operands.end()) return expr(e);
    for (const RegionDim& dim : to<Region>(e).dims) expr(dim.lo);
    access(own->buffer, own->region->dims, own->written, n.kind == Kind::Atomic);
  });
  if (const Store* store = as<Store>(&n)) access(store->buffer, store->dims, true, false);
  fills(n);
  if (const Gemm* gemm = as<Gemm>(&n); gemm && gemm->clear && !alike(gemm->clear))
    differ("a condition depends on " + text(depends_(gemm->clear)));
}

/// Records that a tile operation whose result is a whole buffer has filled it, if unconditional.
void Walk::fills(const Node& n) {
  if (conditions_ > 0 || group(n.kind) != Group::tile) return;
  for (const Operand& operand : operands_of(n)) {
    auto buffer = operand.region ? kernel_.own.find(operand.buffer) : kernel_.own.end();
    if (!operand.written || buffer == kernel_.own.end()) continue;
    const std::vector<int64_t> shape = const_shape(*buffer->second);
    bool whole = operand.region->dims.size() == shape.size();
    for (size_t d = 0; whole && d < shape.size(); ++d)
      whole = is_int(operand.region->dims[d].lo, 0) && operand.region->dims[d].extent == shape[d];
    if (whole) filled_.emplace(operand.buffer, shape);
  }
}

/// The same for a T.Parallel that stores every element of its iterations.
void Walk::fills(const Parallel& n) {
  if (conditions_ > 0) return;
  std::vector<Stmt> stmts = statements_of(n.body);
  for (const Stmt& s : stmts) {
    const Store* store = as<Store>(s);
    auto buffer = store ? kernel_.own.find(store->buffer) : kernel_.own.end();
    if (buffer == kernel_.own.end()) continue;
    const std::vector<int64_t> shape = const_shape(*buffer->second);
    bool whole = shape.size() == n.vars.size() && store->dims.size() == shape.size();
    for (size_t d = 0; whole && d < shape.size(); ++d) {
      const Name* name = as<Name>(store->dims[d].lo);
      whole =
          name && name->id == n.vars[d] && store->dims[d].point && is_int(n.extents[d], shape[d]);
    }
    if (whole) filled_.emplace(store->buffer, shape);
  }
}

void Walk::learn(const Expr& condition, bool holds) {
  const Expr known = holds ? condition : negated(condition);
  // A variable may have another value after the condition.
  if (!mentions_any(*known, kernel_.vars)) facts_.learn(known);
}

}  // namespace tilelab::proving
