// SPDX-License-Identifier: Apache-2.0
#include "core/lint/access_strides.h"

#include <algorithm>
#include <optional>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

constexpr int64_t kFarthestStep = INT32_MAX / 8;

/// Collects the accesses of a function in one walk.
class AccessWalk {
 public:
  explicit AccessWalk(const Func& func) : views_(views_of(*func.body)) {
    for (const Stmt& param : func.params)
      if (const Buffer* tensor = as<Buffer>(to<Param>(param).tensor)) tensors.push_back({tensor});
    for (int64_t output : func.outputs)
      if (AccessedTensor* made = find(to<Param>(func.params[size_t(output)]).name))
        made->fresh = true;
    AccessContext here(func);
    visit(func.body, here);
  }

  std::vector<AccessedTensor> tensors;

 private:
  /// Statements of a list: lets are in scope of the later ones.
  void visit(const Stmt& stmt, AccessContext& here) {
    if (const Seq* list = as<Seq>(stmt)) {
      for (const Stmt& one : list->stmts) visit(one, here);
      return;
    }
    if (const View* view = as<View>(stmt))
      if (AccessedTensor* base = find(views_.base_of(view->buffer)))
        base->reads.is_unsupported = true;
    for (const Effect& effect : effects(*stmt)) {
      add_read(effect, *stmt, here);
      if (effect.write) add_write(effect, *stmt, here);
    }
    if (const Let* let = as<Let>(stmt)) return here.bind(*let);
    if (const If* branch = as<If>(stmt)) return branches(*branch, here);
    std::optional<AccessContext> inner;  // copies all facts: only if there is a body
    for_each_stmt(*stmt, [&](const Stmt& s) {
      if (!inner) inner.emplace(here).enter(stmt);
      visit(s, *inner);
    });
  }

  void branches(const If& branch, const AccessContext& here) {
    for (bool negated : {false, true}) {
      const Stmt& body = negated ? branch.else_ : branch.then_;
      if (!body) continue;
      AccessContext inner = here;
      inner.hold(branch.cond, negated);
      visit(body, inner);
    }
  }

  void add_read(const Effect& effect, const Node& stmt, const AccessContext& here) {
    AccessedTensor* tensor = find(effect.buffer);
    if (!tensor || tensor->reads.is_unsupported) return;
    const std::vector<Expr>& shape = tensor->buffer->shape;
    tensor->reads.is_unsupported =
        effect.write || effect.atomic || effect.box.size() != shape.size();
    if (tensor->reads.is_unsupported) return;
    TensorAccess read{effect.span.known() ? effect.span : stmt.span, {}, {}};
    read.copied = stmt.kind == Kind::Copy;
    for (size_t d = 0; d < shape.size(); ++d)
      read.dims.push_back(here.along(effect.box[d], shape[d], false));
    for (const IterationAxis& axis : here.axes) {
      const bool used = std::any_of(read.dims.begin(), read.dims.end(), [&](const auto& dim) {
        return dim.sum.coefficient(axis.var) != 0 || dim.sum.nested(axis.var);
      });
      if (!used) read.around.push_back(axis);
    }
    read.moves = read.around.size() < here.axes.size();
    tensor->reads.all.push_back(std::move(read));
  }

  void add_write(const Effect& effect, const Node& stmt, const AccessContext& here) {
    const Symbol base = views_.base_of(effect.buffer);
    AccessedTensor* tensor = find(base);
    if (!tensor) return;
    TensorAccesses& writes = tensor->writes;
    const std::vector<Expr>& shape = tensor->buffer->shape;
    writes.is_unsupported |= base != effect.buffer || effect.box.size() != shape.size();
    if (writes.is_unsupported) return;
    TensorAccess write{stmt.span, {}, {}};
    for (size_t d = 0; d < shape.size(); ++d) {
      write.dims.push_back(here.along(effect.box[d], shape[d], true));
      std::erase_if(write.dims.back().steps, [](const auto& step) { return step.axis.count <= 1; });
    }
    writes.all.push_back(std::move(write));
  }

  AccessedTensor* find(Symbol name) {
    auto found = std::find_if(tensors.begin(), tensors.end(),
                              [&](const AccessedTensor& one) { return one.buffer->name == name; });
    return found == tensors.end() ? nullptr : &*found;
  }

  BufferViews views_;
};

}  // namespace

std::vector<AccessedTensor> tensor_accesses(const Func& func) {
  return std::move(AccessWalk(func).tensors);
}

std::string name_of(const IterationAxis& axis) {
  const char* one = axis.blocks ? "block" : "iteration";
  return (axis.count == 1 ? std::string("the one ") + one : "the " + plural(axis.count, one)) +
         (axis.blocks ? " along " : " over ") + axis.var.str();
}

const char* kind_of(const IterationAxis& axis) { return axis.blocks ? "blocks" : "iterations"; }

const DimFootprint::Step* DimFootprint::longest() const {
  int64_t reach = width;
  for (const Step& step : steps) {
    if (step.by <= 0 || step.by > reach) return nullptr;
    reach += step.by * (step.axis.count - 1);
  }
  return steps.empty() || cut ? nullptr : &steps.back();
}

const DimFootprint::Step* DimFootprint::overlapping() const {
  if (threads) return nullptr;
  int64_t reach = width;
  for (const Step& step : steps) {
    if (step.by <= 0) return nullptr;
    if (step.axis.count > 1 && step.by <= reach / 2) return &step;
    reach += step.by * (step.axis.count - 1);
  }
  return nullptr;
}

void AccessContext::step(Symbol var, const Range& count, bool blocks, Span span, int64_t begin) {
  if (count.lo == count.hi) axes.push_back({var, count.lo, blocks, span, begin});
}

void AccessContext::enter(const Stmt& stmt) {
  const RangeAnalysis outside = facts;
  FactContext::enter(stmt);
  if (const Kernel* kernel = as<Kernel>(stmt))
    for (size_t i = 0; i < kernel->indices.size() && i < kernel->grid.size(); ++i)
      step(kernel->indices[i], outside.range(kernel->grid[i]), true, kernel->span);
  const For* loop = as<For>(stmt);
  if (loop && loop->steps.empty() && is_int(loop->step, 1))
    step(loop->var, outside.range(sub(loop->hi, loop->lo)), false, loop->span,
         int_value(loop->lo).value_or(0));
}

DimFootprint AccessContext::along(const RegionDim& dim, const Expr& extent, bool guarded) const {
  DimFootprint out;
  out.extent = int_value(extent).value_or(INT64_MAX);
  out.sum = this->sum(dim.lo);
  const Linear& sum = out.sum;
  Range all = facts.range(sum);
  for (const Linear& slack : slacks) {
    if (!guarded) break;
    if (auto top = constant_sum(slack, sum, 1); top && *top < all.hi)
      all.hi = *top, out.cut |= *top < out.extent - 1;
    if (auto low = constant_sum(slack, sum, -1); low && -*low > all.lo)
      all.lo = -*low, out.cut |= -*low > 0;
  }
  Linear rest = sum;
  for (const IterationAxis& stepper : axes) {
    const int64_t by = sum.coefficient(stepper.var);
    if (by == 0 || stepper.count < 1) continue;
    if (by > kFarthestStep || by < -kFarthestStep || stepper.count > kFarthestStep)
      continue;  // no tensor is that long
    out.steps.push_back({stepper, by});
    std::erase_if(rest.terms, [&](const Linear::Term& term) {
      const Name* name = as<Name>(term.atom);
      return name && name->id == stepper.var;
    });
  }
  std::sort(out.steps.begin(), out.steps.end(),
            [](const DimFootprint::Step& a, const DimFootprint::Step& b) { return a.by < b.by; });
  for (const Linear::Term& term : rest.terms)
    for (const char* name : {"tid", "lane", "warp"}) out.threads |= mentions(term.atom, name);
  const Range still = facts.range(rest);
  const bool known =
      still.lo > -INT64_MAX / 4 && still.hi < INT64_MAX / 4 && still.hi - still.lo < INT32_MAX;
  out.width = known ? still.hi - still.lo + dim.extent : INT64_MAX / 4;
  out.lo = all.lo, out.hi = all.hi > INT64_MAX / 2 ? all.hi : all.hi + dim.extent - 1;
  return out;
}

std::string part_of(const Buffer& tensor, size_t dim, int64_t from, int64_t to) {
  std::string out = tensor.name.str() + "[";
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    out += i ? ", " : "";
    out += i == dim ? std::to_string(from) + ":" + std::to_string(to) : ":";
  }
  return out + "]";
}

}  // namespace tilelab
