// SPDX-License-Identifier: Apache-2.0
#include "core/passes/infer_layouts/decide.h"

#include <algorithm>

#include "core/ir/linear.h"
#include "core/layout/recognize.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr int64_t kMaxRounds = 2;  // that are analyzed

/// Offset, in elements, of the element with this row-major index.
int64_t place_in(const AccessedMemory& memory, const Index& shape, int64_t number) {
  int64_t place = number;
  if (memory.layout.known()) {
    Index at(shape.size());
    for (size_t d = shape.size(); d-- > 0; number /= shape[d]) at[d] = number % shape[d];
    place = place_of(memory.layout, at).address;
  }
  const int64_t size = std::max(1, bits(memory.dtype) / 8);
  return memory.swizzle.known() ? swizzled(memory.swizzle, place * size) / size : place;
}

/// A copy instruction of 4, 8 or 16 bytes, which no layout splits.
bool completes_in_groups(const Node& loop) {
  const Copy* copy = as<Copy>(&loop);
  const Parallel* parallel = as<Parallel>(&loop);
  return (copy && copy->by == CopyBy::async) || (parallel && parallel->by == CopyBy::async);
}

/// Adds the contribution of a thread or register index to the iteration; false in a hole.
bool decode(const std::vector<Decode>& digits, int64_t place, Index& iteration) {
  for (const Decode& d : digits) {
    const int64_t value = (d.modulus ? place % d.modulus : place) / d.digit.stride;
    if (value >= d.digit.extent) return false;
    if (d.dim >= 0) iteration[size_t(d.dim)] += value * d.weight;
  }
  return true;
}

}  // namespace

WarpAccesses::WarpAccesses(const LayoutProblem& problem, const LayoutOp& op)
    : problem_(problem),
      op_(op),
      vec_(std::max<int64_t>(1, op.vec)),
      rounds_(std::max<int64_t>(1, extent(op.layout, 'r') / vec_)),
      seen_(std::min(rounds_, kMaxRounds)) {
  const int64_t lanes = problem.context().target.lanes, first = op.threads.lo / lanes * lanes;
  const auto threads = decoding(op.layout, 't'), registers = decoding(op.layout, 'r');
  if (!threads || !registers) return;
  for (int64_t lane = 0; lane < lanes && first + lane < op.threads.hi; ++lane) {
    auto& held = held_.emplace_back();
    for (int64_t reg = 0; reg < seen_ * vec_; ++reg) {
      Index& iteration = held.emplace_back(op.layout.shape.size(), 0);
      const int64_t thread = first + lane - op.layout.base;
      if (thread < 0 || !decode(*threads, thread, iteration) || !decode(*registers, reg, iteration))
        iteration.clear();
      for (size_t d = 0; d < iteration.size(); ++d)
        if (iteration[d] >= op.layout.shape[d]) iteration.clear();
    }
  }
}

std::vector<ElementAccess> WarpAccesses::of(const BufferAccess& access) const {
  std::vector<ElementAccess> out;
  const bool whole = completes_in_groups(*op_.node);
  for (int64_t round = 0; round < seen_; ++round) {
    ElementAccess one;
    one.times = rounds_ / seen_;
    one.whole = whole;
    for (size_t lane = 0; lane < held_.size(); ++lane) {
      ElementAccess::Lane of_lane{int64_t(lane), {}};
      for (int64_t k = 0; k < vec_; ++k) {
        const Index& iteration = held_[lane][size_t(round * vec_ + k)];
        if (iteration.empty()) break;  // the lane is idle
        const auto element = element_of(access, iteration);
        if (!element) return {};
        of_lane.elements.push_back(*element);
      }
      if (int64_t(of_lane.elements.size()) == vec_) one.lanes.push_back(std::move(of_lane));
    }
    if (!one.lanes.empty()) out.push_back(std::move(one));
  }
  return out;
}

std::optional<int64_t> WarpAccesses::element_of(const BufferAccess& access,
                                                const Index& iteration) const {
  const Index shape = problem_.shape_of(access.buffer);
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto at = evaluate(access.index[d], [&](Symbol name) -> std::optional<int64_t> {
      for (size_t v = 0; v < op_.vars.size(); ++v)
        if (op_.vars[v] == name) return iteration[v];
      return 0;
    });
    if (!at) return std::nullopt;
    number = number * shape[d] + (*at % shape[d] + shape[d]) % shape[d];
  }
  return number;
}

LoopCost cost_of_accesses(const LayoutProblem& solved, const LayoutOp& op) {
  LoopCost out;
  if (!op.layout.known() || op.vars.empty()) return out;
  const Target& target = solved.context().target;
  const WarpAccesses warp(solved, op);
  for (const BufferAccess& access : op.memory) {
    const AccessedMemory memory = solved.memory_of(access.buffer);
    if (solved.scope_of(access.buffer) != Scope::shared) {
      const int64_t width = access_width(op, access, memory, target.vector_bytes);
      out.cost += 2 * warp.rounds() * (width >= op.vec ? 1 : op.vec);
      continue;
    }
    const Index shape = solved.shape_of(access.buffer);
    const auto count =
        count_conflicts(warp.of(access), std::max(1, bits(memory.dtype) / 8), target.banks,
                        [&](int64_t number) { return place_in(memory, shape, number); });
    if (!count) continue;
    out.cost += access_cost(*count);
    out.conflict_free &= count->free();
  }
  return out;
}

}  // namespace tilelab
