// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/simplify.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/analysis/bindings.h"
#include "core/analysis/scoped_visitor.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

constexpr int64_t kMaxRegisters = 16;  // for the results of one loop

struct Hoisted {
  Expr value;
  Axes axes;  // whose variables it contains
  Symbol name;
};

/// Finds the divisions of one loop and replaces them by their results.
class LoopDivisions {
 public:
  /// `known`: results that are in scope.
  LoopDivisions(const Stmt& loop, const RangeAnalysis& facts, const std::vector<Hoisted>& known,
                std::unordered_map<Symbol, int>& taken)
      : facts_(facts), known_(known), taken_(taken), changing_(names_bound_in(*loop)) {
    for_each(*loop, [&](const Assign& assign) { changing_.insert(assign.name); });
  }

  /// The children of a statement with results in place of divisions.
  Stmt inside(const Stmt& stmt) {
    return map_children(
        stmt, [&](const Expr& e) { return replaced(e); },
        [&](const Stmt& s) {
          const size_t depth = axes_.size();
          if (const For* loop = as<For>(s))
            if (const auto axis = unrolled_axis(*loop)) axes_.push_back(*axis);
          Stmt out = inside(s);
          axes_.resize(depth);
          return out;
        });
  }

  /// The statements that compute the results, before the loop.
  std::vector<Stmt> results() const {
    std::vector<Stmt> out;
    for (const Hoisted& one : found_) {
      if (one.axes.empty()) {
        out.push_back(let(one.name, one.value));
        continue;
      }
      const Stmt registers = registers_for(one.axes, one.name, one.value->type.dtype);
      out.push_back(registers);
      out.push_back(
          for_each_of(one.axes, store(to<Buffer>(registers), {position_of(one.axes)}, one.value)));
    }
    return out;
  }
  const std::vector<Hoisted>& found() const { return found_; }

 private:
  Expr replaced(const Expr& e) {
    const Bin* bin = as<Bin>(e);
    if (bin && is_division(bin->op) && e->type.scalar() && is_integer(e->type.dtype))
      if (Expr result = hoisted(e, *bin)) return result;
    return map_children(e, [&](const Expr& x) { return replaced(x); });
  }

  Expr hoisted(const Expr& e, const Bin& division) {
    if (is_const(division.b) || !is_invariant(division.b, changing_)) return nullptr;
    if (facts_.range(division.b).lo <= 0) return nullptr;
    const auto axes = invariant_axes(e);
    if (!axes || count(*axes) > kMaxRegisters - used_) return nullptr;
    const Hoisted& result = entry(e, *axes);
    if (axes->empty()) return name_ref(result.name, e->type);
    return load(result.name, e->type.dtype, {position_of(*axes)});
  }

  /// The unrolled loops whose variables the expression contains, if nothing else in it changes in
  /// the loop.
  std::optional<Axes> invariant_axes(const Expr& e) const {
    std::set<Symbol> others = changing_;
    for (const Axis& axis : axes_) others.erase(axis.var);
    return is_invariant(e, others) ? std::optional(axes_in(e, axes_)) : std::nullopt;
  }

  const Hoisted& entry(const Expr& e, const Axes& axes) {
    const auto same = [&](const Hoisted& one) { return one.axes == axes && equal(one.value, e); };
    const std::vector<Hoisted>* lists[] = {&known_, &found_};
    for (const std::vector<Hoisted>* list : lists)
      if (auto at = std::find_if(list->begin(), list->end(), same); at != list->end()) return *at;
    used_ += count(axes);
    found_.push_back({e, axes, fresh_name("quotient", taken_)});
    return found_.back();
  }

  const RangeAnalysis& facts_;  // before the loop
  const std::vector<Hoisted>& known_;
  std::unordered_map<Symbol, int>& taken_;
  std::set<Symbol> changing_;  // names that have other values in other iterations
  Axes axes_;                  // around the current statement
  std::vector<Hoisted> found_;
  int64_t used_ = 0;
};

class Hoister : ScopedVisitor {
 public:
  explicit Hoister(const Func& func) : ScopedVisitor(func), func_(func) {
    for_each(*func.body, [&](const Assign& assign) { variables_.insert(assign.name); });
  }
  int moved = 0;

  Stmt visit(const Stmt& stmt) {
    if (!as<While>(stmt) && !as<For>(stmt)) return inside(stmt);
    if (taken_.empty()) taken_ = names_in(func_);
    LoopDivisions divisions(stmt, facts_, known_, taken_);
    const Stmt loop = divisions.inside(stmt);
    moved += int(divisions.found().size());
    std::vector<Stmt> out = divisions.results();
    for (const Hoisted& one : divisions.found())
      if (!mentions_any(*one.value, variables_)) known_.push_back(one);
    out.push_back(inside(loop));
    return at(stmt->span, seq(std::move(out)));
  }

 private:
  Stmt inside(const Stmt& stmt) {
    const size_t visible = known_.size();
    Stmt out = map_inside(stmt, [&](const Stmt& s) { return visit(s); });
    if (!as<Seq>(stmt)) known_.resize(visible);
    return out;
  }

  const Func& func_;
  std::set<Symbol> variables_;  // names that are assigned to
  std::vector<Hoisted> known_;  // results in scope
  std::unordered_map<Symbol, int> taken_;
};

}  // namespace

FuncRef hoist_divisions(const FuncRef& func, int& moved) {
  if (!any_of(*func->body, [](const Bin& bin) { return is_division(bin.op) && !is_const(bin.b); }))
    return func;
  Hoister hoister(*func);
  Stmt body = hoister.visit(func->body);
  moved = hoister.moved;
  return moved ? with_body(func, std::move(body)) : func;
}

}  // namespace tilelab
