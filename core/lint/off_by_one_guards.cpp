// SPDX-License-Identifier: Apache-2.0
#include "core/lint/off_by_one_guards.h"

#include <algorithm>

#include "core/analysis/path_conditions.h"
#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/lint/lints.h"

namespace tilelab {
namespace {

/// The load that an expression is, but for a cast; or null.
const Load* bare_load(const Expr& e) {
  const Cast* cast = as<Cast>(e);
  return as<Load>(cast ? cast->a : e);
}

bool is_zero(const Expr& e) {
  const Const* value = as<Const>(e);
  return value && value->bits == 0;
}

class WideGuards {
 public:
  explicit WideGuards(const Func& func) : buffers_(buffers_of(func)) {
    FactContext here(func);
    visit(func.body, here);
  }

  std::unordered_map<const Load*, WideGuard> found;
  std::vector<const Load*> order;

 private:
  void visit(const Stmt& stmt, FactContext& here) {
    if (const Seq* list = as<Seq>(stmt)) {
      for (const Stmt& one : list->stmts) visit(one, here);
      return;
    }
    store_ = as<Store>(stmt);
    for_each_child(
        *stmt, [&](const Expr& e) { loads(e, here); }, [](const Stmt&) {});
    if (const Let* let = as<Let>(stmt)) return here.bind(*let);
    FactContext inner = here;
    inner.enter(stmt);
    const If* branch = as<If>(stmt);
    if (!branch) {
      for_each_child(
          *stmt, [](const Expr&) {}, [&](const Stmt& s) { visit(s, inner); });
      return;
    }
    FactContext otherwise = here;
    inner.hold(branch->cond);
    otherwise.hold(branch->cond, true);
    if (branch->then_) visit(branch->then_, inner);
    if (branch->else_) visit(branch->else_, otherwise);
  }

  void loads(const Expr& e, const FactContext& here) {
    if (const Select* choice = as<Select>(e)) {
      loads(choice->cond, here);
      // A bare 0 where the other side has one is what T.copy would have brought.
      if (!(bare_load(choice->a) && is_zero(choice->b)))
        under(choice->cond, false, choice->a, here);
      if (!(bare_load(choice->b) && is_zero(choice->a))) under(choice->cond, true, choice->b, here);
      return;
    }
    if (const Bin* bin = as<Bin>(e); bin && is_logical(bin->op)) {
      loads(bin->a, here);
      return under(bin->a, bin->op == BinOp::lor, bin->b, here);
    }
    if (const Load* load = as<Load>(e)) look_at(*load, here);
    for_each_child(
        *e, [&](const Expr& child) { loads(child, here); }, [](const Stmt&) {});
  }

  void under(const Expr& condition, bool negated, const Expr& e, const FactContext& here) {
    FactContext inner = here;
    inner.hold(condition, negated);
    loads(e, inner);
  }

  void look_at(const Load& load, const FactContext& here) {
    auto buffer = buffers_.find(load.buffer);
    if (here.slacks.empty() || buffer == buffers_.end()) return;
    const Buffer& tensor = *buffer->second;
    if (tensor.scope != Scope::global || found.count(&load)) return;
    for (size_t d = 0; d < load.index.size() && d < tensor.shape.size(); ++d)
      for (bool below : {false, true}) {
        const Linear index = here.sum(load.index[d]), extent = here.sum(tensor.shape[d]);
        if (!lets_one_through(index, extent, below, here) || dropped(index, extent, below, here))
          continue;
        found.emplace(&load, WideGuard{d, below});
        order.push_back(&load);
        return;
      }
  }

  /// Whether the conditions leave just the extent, or -1, of what lies outside on that side.
  static bool lets_one_through(const Linear& index, const Linear& extent, bool below,
                               const FactContext& here) {
    std::optional<int64_t> most;  // of index - extent, or of -index
    for (const Linear& slack : here.slacks) {
      Linear over = slack;
      if (!below) over.add(extent, -1);
      const auto bound = constant_sum(over, index, below ? -1 : 1);
      if (bound && (!most || *bound < *most)) most = *bound;
    }
    if (!most || *most != (below ? 1 : 0)) return false;
    const Range reached = here.facts.range(index);
    if (below) return reached.lo < 0;
    return !extent.is_constant() || reached.hi >= extent.constant;
  }

  /// Whether the statement stores to a tensor and is outside of it, too, where the read is.
  bool dropped(const Linear& index, const Linear& extent, bool below,
               const FactContext& here) const {
    auto into = store_ ? buffers_.find(store_->buffer) : buffers_.end();
    if (into == buffers_.end() || into->second->scope != Scope::global) return false;
    for (size_t d = 0; d < store_->dims.size() && d < into->second->shape.size(); ++d) {
      const auto ahead = constant_sum(here.sum(store_->dims[d].lo), index, -1);
      if (!ahead) continue;
      if (below && *ahead <= 0) return true;
      const auto room = constant_sum(here.sum(into->second->shape[d]), extent, -1);
      if (!below && room && *ahead >= *room) return true;
    }
    return false;
  }

  BufferTable buffers_;
  const Store* store_ = nullptr;  // the statement, if it is one
};

}  // namespace

std::unordered_map<const Load*, WideGuard> wide_guards(const Func& func) {
  return WideGuards(func).found;
}

void warn_of_wide_guards(const Func& func, Diagnostics& diagnostics) {
  const WideGuards guards(func);
  const BufferTable buffers = buffers_of(func);
  for (const Load* load : guards.order) {
    const WideGuard& guard = guards.found.at(load);
    const Buffer& tensor = *buffers.at(load->buffer);
    const auto extent = int_value(tensor.shape[guard.dim]);
    const std::string end = extent ? std::to_string(*extent) : "the extent";
    diagnostics
        .report(usage::guard_too_wide, load->span, load->buffer, guard.below ? "-1" : end,
                guard.dim)
        .mark("reads 0 there")
        .help(guard.below
                  ? "the first index is 0: let the condition hold from there on"
                  : "the last index is " + (extent ? std::to_string(*extent - 1) : "one less") +
                        ": `<` in place of `<=`");
  }
}

}  // namespace tilelab
