// SPDX-License-Identifier: Apache-2.0
// The analysis must be exact, so it only follows statements that surely run, in loops with constant
// bounds and no early exit, and affine indices of names that take all values of an interval
// independently. Then the largest and smallest index of an access are exact, with the iteration in
// which they occur.
#include "core/lint/lints.h"

#include <set>

#include "core/analysis/path_conditions.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

/// Interval of which all values are taken: by a loop variable, a thread or a block.
struct Taken {
  int64_t lo = 0, hi = 0;
};

/// An extreme index, and where it occurs: "i = 7, j = 0".
struct End {
  int64_t index = 0;
  std::vector<std::string> at;
};

class ReachedIndices {
 public:
  ReachedIndices(const Func& func, Diagnostics& sink)
      : buffers_(buffers_of(func)), views_(views_of(*func.body)), sink_(sink) {
    FactContext here(func);
    visit(func.body, here);
  }

 private:
  void visit(const Stmt& stmt, FactContext& here) {
    if (const Seq* list = as<Seq>(stmt)) {
      for (const Stmt& one : list->stmts) visit(one, here);
      return;
    }
    reported_.clear();
    bool nested = false;
    if (const Store* store = as<Store>(stmt)) access(store->buffer, store->dims, stmt->span, here);
    for_each_child(
        *stmt, [&](const Expr& e) { accesses(e, stmt->span, here); },
        [&](const Stmt&) { nested = true; });
    if (const Let* let = as<Let>(stmt)) return here.bind(*let);
    if (!nested) return;
    FactContext inner = here;
    inner.enter(stmt);
    const auto outer = taken_;
    for (const Stmt& body : surely_run(stmt, here)) visit(body, inner);
    taken_ = outer;
  }

  /// The nested statements that surely run; records the values that variables take.
  std::vector<Stmt> surely_run(const Stmt& stmt, const FactContext& here) {
    if (const If* branch = as<If>(stmt)) {
      const auto holds = here.facts.decide(branch->cond);
      const Stmt& body = holds.value_or(false) ? branch->then_ : branch->else_;
      return holds && body ? std::vector{body} : std::vector<Stmt>{};
    }
    if (as<While>(stmt) || as<TileLoop>(stmt)) return {};
    if (const For* loop = as<For>(stmt))
      return surely_iterates(*loop, here) ? std::vector{loop->body} : std::vector<Stmt>{};
    if (const Parallel* loop = as<Parallel>(stmt)) {
      for (size_t i = 0; i < loop->vars.size(); ++i) {
        if (here.facts.range(loop->extents[i]).lo <= 0) return {};
        take(loop->vars[i], 0, int_value(loop->extents[i]));
      }
    }
    if (const Kernel* kernel = as<Kernel>(stmt)) {
      take("tid", 0, kernel->block);
      for (size_t i = 0; i < kernel->indices.size(); ++i)
        take(kernel->indices[i], 0, int_value(kernel->grid[i]));
    }
    if (as<Role>(stmt)) taken_.erase("tid");
    std::vector<Stmt> all;
    for_each_stmt(*stmt, [&](const Stmt& s) { all.push_back(s); });
    return all;
  }

  /// Whether the loop surely has iterations, all of them complete.
  bool surely_iterates(const For& loop, const FactContext& here) {
    if (contains<Break>(*loop.body) || !loop.steps.empty() || !is_int(loop.step, 1) ||
        here.facts.range(loop.lo).hi >= here.facts.range(loop.hi).lo)
      return false;
    const auto lo = int_value(loop.lo);
    take(loop.var, lo.value_or(0), lo ? int_value(loop.hi) : std::nullopt);
    return true;
  }

  /// Records that `name` takes all of [lo, end); without an end it is unknown.
  void take(Symbol name, int64_t lo, std::optional<int64_t> end) {
    taken_.erase(name);
    if (end) taken_.emplace(name, Taken{lo, *end - 1});
  }

  void accesses(const Expr& expr, Span span, const FactContext& here) {
    const Span at = expr->span.known() ? expr->span : span;
    if (const Load* load = as<Load>(expr)) {
      std::vector<RegionDim> dims;
      for (const Expr& index : load->index) dims.push_back({.lo = index});
      access(load->buffer, dims, at, here);
    }
    if (const Region* region = as<Region>(expr)) access(region->buffer, region->dims, at, here);
    const Bin* bin = as<Bin>(expr);
    const bool first_alone = as<Select>(expr) || (bin && is_logical(bin->op));
    int operand = 0;
    for_each_expr(*expr, [&](const Expr& child) {
      if (operand++ == 0 || !first_alone) accesses(child, at, here);
    });
  }

  void access(Symbol name, const std::vector<RegionDim>& dims, Span span, const FactContext& here) {
    auto found = buffers_.find(views_.base_of(name));
    if (found == buffers_.end()) return;
    const Buffer& buffer = *found->second;
    if (buffer.scope != Scope::fragment) return;
    auto view = views_.find(name);
    const auto& shape = view == views_.end() ? buffer.shape : view->second->shape;
    for (size_t d = 0; d < dims.size() && d < shape.size(); ++d) {
      const auto extent = int_value(shape[d]);
      if (!extent) continue;
      const int64_t width = dims[d].extent;
      const Linear index = here.sum(dims[d].lo);
      const auto low = end_of(index, false), high = end_of(index, true);
      // verify_kernel reports indices that are always out of bounds.
      if (!low || !high || low->index > *extent - width || high->index < 0) continue;
      if (low->index >= 0 && high->index <= *extent - width) continue;
      if (!reported_.insert(name).second) return;
      const End& out = low->index < 0 ? *low : *high;
      report(buffer, name, out, low->index < 0 ? 0 : width - 1, *extent, d, span)
          .help("valid indices are 0 to " + std::to_string(*extent - 1) +
                ": correct the index or the loop, guard the access with `if`, or make `" +
                name.str() + "` larger");
      return;
    }
  }

  Diagnostic& report(const Buffer& buffer, Symbol name, const End& out, int64_t offset,
                     int64_t extent, size_t dim, Span span) {
    return sink_
        .report(Diag::out_of_bounds, span,
                "index " + std::to_string(out.index + offset) + " of `" + name.str() + "`", "",
                "dimension " + std::to_string(dim) + " has " + plural(extent, "element"))
        .as_error(true)
        .label(buffer.span, "allocated here")
        .mark("at " + join(out.at, ", "));
  }

  /// The largest value of a sum, or the smallest; nullopt if it is not provably taken.
  std::optional<End> end_of(const Linear& sum, bool largest) const {
    End end{sum.constant, {}};
    for (const Linear::Term& term : sum.terms) {
      const Name* name = as<Name>(term.atom);
      auto values = name ? taken_.find(name->id) : taken_.end();
      if (values == taken_.end()) return std::nullopt;
      const int64_t value =
          (term.coefficient > 0) == largest ? values->second.hi : values->second.lo;
      end.index += term.coefficient * value;
      const std::string who = name->id == "tid" ? "thread " : name->id.str() + " = ";
      end.at.push_back(who + std::to_string(value));
    }
    return end;
  }

  BufferTable buffers_;
  BufferViews views_;
  Diagnostics& sink_;
  std::unordered_map<Symbol, Taken> taken_;
  std::set<Symbol> reported_;  // buffers of this statement
};

}  // namespace

void verify_reached_indices(const Func& func, Diagnostics& sink) { ReachedIndices(func, sink); }

}  // namespace tilelab
