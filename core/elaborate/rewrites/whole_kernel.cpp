// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/rewrites.h"

#include <unordered_set>

#include "core/analysis/ranges.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/targets/target.h"

namespace tilelab::elaborate {
namespace {

class NegativeIndices {
 public:
  explicit NegativeIndices(const Func& func) : facts_(RangeAnalysis::of(func)) {
    for_each(
        func, [&](const Buffer& b) { shapes_[b.name] = &b.shape; },
        [&](const View& v) { shapes_[v.name] = &v.shape; },
        [&](const Var& v) { vars_.insert(v.name); });
  }

  Stmt visit(const Stmt& stmt) {
    if (const Kernel* kernel = as<Kernel>(stmt)) {
      facts_.enter(*kernel, 1);
      for (const char* index : {"lane", "warp"})  // the target is not known yet
        facts_.set(index, {0, kernel->block - 1});
    }
    if (const For* loop = as<For>(stmt)) facts_.enter(*loop);
    if (const Parallel* loop = as<Parallel>(stmt)) facts_.enter(*loop);
    if (const If* branch = as<If>(stmt)) return visit_branches(*branch);
    Stmt out = children(stmt);
    if (const Let* let = as<Let>(out); let && is_integer(let->value->type.dtype)) facts_.bind(*let);
    if (const Store* store = as<Store>(out)) {
      Store wrapped(*store);
      if (wrap(store->buffer, wrapped.dims)) return make(std::move(wrapped));
    }
    return out;
  }

 private:
  Stmt children(const Stmt& stmt) {
    return map_children(
        stmt, [&](const Expr& e) { return visit(e); }, [&](const Stmt& s) { return visit(s); });
  }

  /// Inside a branch its condition is a fact, if the branch cannot change it.
  Stmt visit_branches(const If& branch) {
    If out(branch);
    out.cond = visit(branch.cond);
    const RangeAnalysis around = facts_;
    if (is_invariant(*out.cond)) facts_.learn(out.cond);
    out.then_ = visit(branch.then_);
    facts_ = around;
    if (branch.else_) out.else_ = visit(branch.else_);
    const bool same = out.cond.same(branch.cond) && out.then_.same(branch.then_) &&
                      (!branch.else_ || out.else_.same(branch.else_));
    return same ? Stmt(&branch) : Stmt(make(std::move(out)));
  }

  bool is_invariant(const Node& condition) const {
    bool out = true;
    walk(condition, [&](const Node& node) {
      const Name* name = as<Name>(&node);
      out &=
          node.kind != Kind::Load && node.kind != Kind::Region && !(name && vars_.count(name->id));
      return out;
    });
    return out;
  }

  Expr visit(const Expr& expr) {
    Expr out = map_children(expr, [&](const Expr& e) { return visit(e); });
    if (const Load* load = as<Load>(out)) {
      Load wrapped(*load);
      bool changed = false;
      for (size_t d = 0; d < wrapped.index.size(); ++d)
        changed |= wrap(load->buffer, d, wrapped.index[d]);
      if (changed) return make(std::move(wrapped));
    }
    if (const Region* region = as<Region>(out)) {
      Region wrapped(*region);
      if (wrap(region->buffer, wrapped.dims)) return make(std::move(wrapped));
    }
    return out;
  }

  bool wrap(Symbol buffer, std::vector<RegionDim>& dims) const {
    bool changed = false;
    for (size_t d = 0; d < dims.size(); ++d)
      if (is_negative(dims[d])) changed |= wrap(buffer, d, dims[d].lo);
    return changed;
  }

  /// Excludes a slice that extends into its dimension: a tile with a halo starts at a negative
  /// index.
  bool is_negative(const RegionDim& dim) const {
    if (dim.point) return true;
    Linear last = linear_of(dim.lo);
    last.constant += dim.extent - 1;
    return facts_.range(last).hi < 0;
  }

  bool wrap(Symbol buffer, size_t dim, Expr& index) const {
    if (is_const(index) || !index->type.scalar() || !is_integer(index->type.dtype)) return false;
    if (facts_.range(linear_of(index)).hi >= 0) return false;
    auto shape = shapes_.find(buffer);
    if (shape == shapes_.end() || dim >= shape->second->size()) return false;
    const DType dtype = index->type.dtype;
    Linear sum = linear_of(cast(dtype, (*shape->second)[dim]));
    sum.add(linear_of(index), 1);
    index = at(index->span, expr_of(sum, dtype));
    return true;
  }

  RangeAnalysis facts_;
  std::unordered_map<Symbol, const std::vector<Expr>*> shapes_;
  std::unordered_set<Symbol> vars_;  // assigned variables
};

/// Local buffers that are only accessed by element, with indices from T.Parallel variables.
class DistributedLocals {
 public:
  explicit DistributedLocals(const Stmt& body) { visit(body); }

  std::unordered_set<Symbol> found() const {
    std::unordered_set<Symbol> out;
    for (Symbol name : local_)
      if (chosen_.count(name) && !otherwise_.count(name)) out.insert(name);
    return out;
  }

 private:
  void visit(const Stmt& stmt) {
    const Parallel* loop = as<Parallel>(stmt);
    const Parallel* before = parallel_;
    if (const Buffer* b = as<Buffer>(stmt); b && b->scope == Scope::local && !parallel_)
      local_.insert(b->name);
    if (const View* v = as<View>(stmt)) otherwise_.insert(v->buffer);
    if (const Store* s = as<Store>(stmt)) {
      std::vector<Expr> index;
      for (const RegionDim& d : s->dims) index.push_back(d.point ? d.lo : nullptr);
      use(s->buffer, index);
    }
    if (loop) parallel_ = loop;
    const bool whole = as<Fill>(stmt) != nullptr;  // uniform in all elements
    for_each_child(
        *stmt, [&](const Expr& e) { visit(e, whole); }, [&](const Stmt& s) { visit(s); });
    parallel_ = before;
  }

  void visit(const Expr& expr, bool whole) {
    if (const Load* l = as<Load>(expr)) use(l->buffer, l->index);
    if (const Region* r = as<Region>(expr); r && !whole) otherwise_.insert(r->buffer);
    for_each_expr(*expr, [&](const Expr& e) { visit(e, false); });
  }

  void use(Symbol buffer, const std::vector<Expr>& index) {
    bool chosen = parallel_ != nullptr;
    for (const Expr& i : index) {
      bool named = false;
      for (size_t v = 0; i && parallel_ && v < parallel_->vars.size(); ++v)
        named |= mentions(i, parallel_->vars[v]);
      chosen &= named;
    }
    (chosen ? chosen_ : otherwise_).insert(buffer);
  }

  const Parallel* parallel_ = nullptr;
  std::unordered_set<Symbol> local_, chosen_, otherwise_;
};

Stmt as_fragments(const Stmt& body) {
  const auto distributed_over_threads = DistributedLocals(body).found();
  if (distributed_over_threads.empty()) return body;
  return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
    const Buffer* b = as<Buffer>(s);
    if (!b || !distributed_over_threads.count(b->name)) return s;
    Buffer fragment(*b);
    fragment.scope = Scope::fragment;
    return make(std::move(fragment));
  });
}

}  // namespace

FuncRef with_whole_kernel_rules(const FuncRef& func) {
  return with_body(func, as_fragments(NegativeIndices(*func).visit(func->body)));
}

}  // namespace tilelab::elaborate
