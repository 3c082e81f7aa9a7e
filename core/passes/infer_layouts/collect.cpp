// SPDX-License-Identifier: Apache-2.0
// Collects the operations of a kernel that distribute elements over threads.
#include <algorithm>
#include <unordered_set>

#include "core/analysis/divergence.h"
#include "core/analysis/effects.h"
#include "core/analysis/scoped_visitor.h"
#include "core/ir/build.h"
#include "core/passes/infer_layouts/problem.h"
#include "core/passes/shared/gather_loops.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

class Collector : ScopedVisitor {
 public:
  explicit Collector(LayoutProblem& problem) : ScopedVisitor(problem.func()), problem_(problem) {
    enter(problem.kernel());
  }
  void visit(const Stmt& stmt);

 private:
  /// An operation with the facts that hold at it.
  LayoutOp operation(const Node& node, LayoutOp::What what = LayoutOp::What::loop) const;
  void everywhere(const Expr& expr);
  void read_element_store(const Store& store);
  void read_parallel(const Parallel& loop);
  void gathers(LayoutOp& op, const Parallel& loop) const;
  void read_box(const Stmt& stmt);
  void read_operands(const Stmt& stmt);
  void read_branches(const If& branch);
  void bind(LayoutOp& op, Symbol name, Type type, FunctionRef<void()> learn);
  void read_body(LayoutOp& op, const Stmt& body);
  bool changes_what_it_reads(const LayoutOp& op) const;
  void add(LayoutOp& op, const std::vector<Effect>& effects);
  void add(LayoutOp& op, const Effect& effect);

  LayoutProblem& problem_;
  Substitution named_;                // subexpressions of indices, in the body of a T.Parallel
  std::unordered_set<Symbol> bound_;  // in that body
};

/// Elements of 4 bytes, the minimum of a copy that completes in groups.
int64_t least_vector(DType dtype) { return std::max(1, 32 / bits(dtype)); }

/// Adds an element access per iteration: for a box, one element for each value of the operation's
/// variables.
void Collector::add(LayoutOp& op, const Effect& effect) {
  if (effect.scratch) return;
  BufferAccess access{effect.buffer, {}, effect.write, effect.span, effect.atomic};
  size_t next = 0;
  for (const RegionDim& dim : effect.box) {
    Expr at = dim.lo;
    if (dim.extent != 1 && next < op.vars.size())
      at = tilelab::add(at, name_ref(op.vars[next++], at->type));
    at = substitute(at, named_);
    // A condition that always holds hides that an index is contiguous.
    if (contains<Select>(*at)) at = simplify_index(at, op.facts);
    access.index.push_back(std::move(at));
  }
  if (problem_.is_fragment(access.buffer)) {
    problem_.use(access.buffer, op.threads);
    op.fragments.push_back(std::move(access));
    return;
  }
  auto scope = problem_.scope_of(access.buffer);
  if (scope == Scope::shared || scope == Scope::global) op.memory.push_back(std::move(access));
}

void Collector::add(LayoutOp& op, const std::vector<Effect>& effects) {
  for (const Effect& effect : effects) add(op, effect);
}

/// Facts about a name that hold in the whole loop; sibling scopes may bind it to different values.
void Collector::bind(LayoutOp& op, Symbol name, Type type, FunctionRef<void()> learn) {
  const Expr value = name_ref(name, type);
  const Range before = op.facts.range(value);
  learn();
  if (!bound_.insert(name).second) op.facts.set(name, join_ranges(before, op.facts.range(value)));
}

void Collector::read_body(LayoutOp& op, const Stmt& body) {
  if (!body) return;
  for (const Effect& effect : effects(*body)) {
    op.one_replica |= effect.atomic && !problem_.is_fragment(effect.buffer);
    add(op, effect);
  }
  if (const For* loop = as<For>(body))
    bind(op, loop->var, loop->lo->type, [&] { op.facts.enter(*loop); });
  if (const Let* let = as<Let>(body); let && is_integer(let->value->type.dtype)) {
    bind(op, let->name, let->value->type, [&] { op.facts.bind(*let); });
    const Expr value = substitute(let->value, named_);
    if (effects(value).empty() && is_smaller(*value, kMaxLetSize)) named_[let->name] = value;
  }
  for_each_stmt(*body, [&](const Stmt& s) { read_body(op, s); });
}

bool Collector::changes_what_it_reads(const LayoutOp& op) const {
  std::unordered_set<Symbol> written;
  for (const BufferAccess& access : op.memory)
    if (access.write) written.insert(problem_.base_of(access.buffer));
  return std::any_of(op.memory.begin(), op.memory.end(), [&](const BufferAccess& access) {
    return !access.write && written.count(problem_.base_of(access.buffer));
  });
}

LayoutOp Collector::operation(const Node& node, LayoutOp::What what) const {
  LayoutOp op;
  op.what = what;
  op.node = &node;
  op.threads = threads_;
  op.facts = facts_;
  return op;
}

void Collector::read_parallel(const Parallel& loop) {
  LayoutOp op = operation(loop);
  op.facts.enter(loop);
  op.vars = loop.vars;
  op.layout = loop.layout;  // loop_layout
  if (op.layout.known()) op.layout = rebased(op.layout, threads_);
  for (const Expr& extent : loop.extents) op.extents.push_back(int_value(extent).value_or(-1));
  if (const Attr* width = find_attr(loop.attrs, "coalesced_width")) op.wanted_vec = width->integer;
  if (loop.by == CopyBy::async) gathers(op, loop);
  named_.clear(), bound_.clear();
  read_body(op, loop.body);
  named_.clear();
  op.one_replica = op.writes_fragment() && (op.one_replica || changes_what_it_reads(op));
  if (op.one_replica) op.layout.rep.clear();
  problem_.ops().push_back(std::move(op));
}

/// Handles a loop whose store may become copies that complete in groups.
void Collector::gathers(LayoutOp& op, const Parallel& loop) const {
  const Stmt store = gathering_store(loop);
  if (!store) return;
  const Symbol from = gathered(to<Store>(store).value).element->buffer;
  if (problem_.scope_of(from) != Scope::global) return;
  const AccessedMemory memory = problem_.memory_of(from);
  Buffer tensor;
  tensor.dtype = memory.dtype, tensor.shape = memory.shape, tensor.strides = memory.strides;
  op.gathers = gather_width(loop, tensor, op.facts);
  op.least_vec = least_vector(memory.dtype);
}

/// An operation of all threads on a box, as a loop over it.
void Collector::read_box(const Stmt& stmt) {
  const std::vector<Effect> touched = effects(*stmt);
  const Effect& result = touched.back();  // writes come last
  LayoutOp op = operation(*stmt);
  op.layout = result.map;  // loop_layout
  if (op.layout.known()) op.layout = rebased(op.layout, threads_);
  const Copy* async = as<Copy>(stmt);
  if (async && async->by == CopyBy::async) op.least_vec = least_vector(async->dst->type.dtype);
  if (const Copy* copy = as<Copy>(stmt))
    if (const Attr* width = find_attr(copy->attrs, "coalesced_width"))
      op.wanted_vec = width->integer;
  for (const RegionDim& dim : result.box)
    if (dim.extent != 1) op.extents.push_back(dim.extent);
  for (size_t i = 0; i < op.extents.size(); ++i) {
    op.vars.push_back("box " + std::to_string(i));  // contains a space, unlike user names
    op.facts.set(op.vars.back(), {0, op.extents[i] - 1});
  }
  add(op, touched);
  op.each_thread = runs_in_each_thread(*stmt, problem_.varying(), [&](Symbol name) {
    return problem_.scope_of(name).value_or(Scope::barrier);
  });
  if (op.each_thread) op.extents.clear();
  if (op.extents.empty()) op.what = LayoutOp::What::everywhere;
  problem_.ops().push_back(std::move(op));
}

/// Fragment elements that a statement outside any loop reads: every thread needs them.
void Collector::everywhere(const Expr& expr) {
  LayoutOp op = operation(*expr, LayoutOp::What::everywhere);
  add(op, effects(expr));
  if (!op.fragments.empty()) problem_.ops().push_back(std::move(op));
}

/// `x[3] = value` outside any loop: a loop of one iteration, run by the holder of the element.
void Collector::read_element_store(const Store& store) {
  LayoutOp op = operation(store);
  op.vars = {"box 0"};
  op.extents = {1};
  add(op, effects(store));
  problem_.ops().push_back(std::move(op));
}

/// A gemm or reduction.
void Collector::read_operands(const Stmt& stmt) {
  LayoutOp op = operation(*stmt, as<Gemm>(stmt) ? LayoutOp::What::gemm : LayoutOp::What::reduce);
  add(op, effects(*stmt));
  problem_.ops().push_back(std::move(op));
}

/// Branches that differ between threads.
void Collector::read_branches(const If& branch) {
  everywhere(branch.cond);
  for (bool is_else : {false, true}) {
    const Stmt& body = is_else ? branch.else_ : branch.then_;
    if (!body) continue;
    const auto range = has_tile_operation(body) ? threads_of(branch, is_else, threads_) : threads_;
    scoped([&] {
      if (range) facts_.set("tid", {range->lo, range->hi - 1}), threads_ = *range;
      visit(body);
    });
  }
}

void Collector::visit(const Stmt& stmt) {
  if (const Parallel* loop = as<Parallel>(stmt)) return read_parallel(*loop);
  if (distributed_over_threads(*stmt)) return read_box(stmt);
  if (as<Gemm>(stmt) || as<Reduce>(stmt)) return read_operands(stmt);
  if (as<Buffer>(stmt) || as<View>(stmt)) return;
  if (const Record* record = as<Record>(stmt)) {
    for (const Expr& value : record->values)  // the holders print a whole box
      if (!as<Region>(value)) everywhere(value);
    return;
  }
  if (const If* branch = as<If>(stmt); branch && problem_.varying()(*stmt))
    return read_branches(*branch);
  if (const Store* store = as<Store>(stmt); store && problem_.is_fragment(store->buffer))
    return read_element_store(*store);
  for_each_expr(*stmt, [&](const Expr& e) { everywhere(e); });
  each_inside(stmt, [&](const Stmt& s) { visit(s); });
}

}  // namespace

void collect(LayoutProblem& problem) { Collector(problem).visit(problem.kernel().body); }

}  // namespace tilelab
