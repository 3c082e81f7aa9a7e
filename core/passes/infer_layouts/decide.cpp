// SPDX-License-Identifier: Apache-2.0
#include "core/passes/infer_layouts/decide.h"

#include <unordered_set>
#include <utility>

namespace tilelab {
namespace {

using Loops = std::unordered_set<const Node*>;

std::unique_ptr<Decided> decided(const Func& func, const Kernel& kernel, PassContext& context,
                                 const Loops& narrow) {
  auto out = std::make_unique<Decided>(Decided{kernel, {}, nullptr});
  auto solved = [&] {
    out->problem = std::make_unique<LayoutProblem>(func, out->kernel, context, narrow);
    collect(*out->problem);
    solve(*out->problem);
  };
  solved();
  out->swizzles = bank_swizzles(*out->problem);
  if (out->swizzles.empty()) return out;
  out->kernel.body = with_swizzles(kernel.body, out->swizzles);
  solved();
  return out;
}

/// The costs of the loops in the set.
std::vector<std::pair<const Node*, LoopCost>> costs_of(const LayoutProblem& solved,
                                                       const Loops& loops) {
  std::vector<std::pair<const Node*, LoopCost>> out;
  for (const LayoutOp& op : solved.ops())
    if (loops.count(op.node)) out.emplace_back(op.node, cost_of_accesses(solved, op));
  return out;
}

Loops loops_with_columns(const LayoutProblem& problem) {
  Loops out;
  for (const LayoutOp& op : problem.ops())
    if (op.what == LayoutOp::What::loop && problem.columns_and_rows(op)) out.insert(op.node);
  return out;
}

}  // namespace

std::unique_ptr<Decided> decide(const Func& func, const Kernel& kernel, PassContext& context) {
  auto wide = decided(func, kernel, context, {});
  const Loops columns = loops_with_columns(*wide->problem);
  if (columns.empty()) return wide;
  Loops narrow;
  const auto wide_costs = costs_of(*wide->problem, columns);
  for (const auto& [loop, cost] : wide_costs)
    if (!cost.conflict_free) narrow.insert(loop);
  if (narrow.empty()) return wide;
  auto other = decided(func, kernel, context, narrow);
  const auto other_costs = costs_of(*other->problem, columns);
  const size_t tried = narrow.size();
  for (size_t i = 0; i < wide_costs.size(); ++i)
    if (wide_costs[i].second.cost <= other_costs[i].second.cost) narrow.erase(wide_costs[i].first);
  if (narrow.empty()) return wide;
  return narrow.size() == tried ? std::move(other) : decided(func, kernel, context, narrow);
}

}  // namespace tilelab
