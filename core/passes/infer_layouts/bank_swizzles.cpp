// SPDX-License-Identifier: Apache-2.0
#include "core/passes/infer_layouts/decide.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/effects.h"
#include "core/passes/shared/arena_planner.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr int64_t kMaxBufferElements = 1 << 16;  // of a buffer
constexpr int64_t kBarriers = 1024;              // bytes reserved for barriers

/// Whether a block may use `more` bytes: without lower occupancy, or at most three quarters of the
/// shared memory.
bool has_room(const Target& target, int64_t bytes, int64_t more) {
  const int64_t room = target.shared_bytes - kBarriers, then = bytes + more;
  return then <= room * 3 / 4 || (then <= room && room / then == room / bytes);
}

/// Bytes of shared memory that the kernel takes, where buffers that never live together share it.
int64_t planned_bytes(const Kernel& kernel, const std::vector<const Buffer*>& shared,
                      const Target& target) {
  int64_t sum = 0;
  for (const Buffer* b : shared) sum += allocated_bytes(*b);
  if (sum <= target.shared_bytes * 3 / 4) return sum;
  ArenaPlanner planner(kernel, 0);
  planner.plan(target.shared_bytes - kBarriers);
  return planner.total();
}

/// Shared buffers without a layout that are accessed only by parallel loops, element by element.
class TouchedByLoops {
 public:
  explicit TouchedByLoops(const LayoutProblem& problem) {
    for (const LayoutOp& op : problem.ops())
      if (op.what == LayoutOp::What::loop && !op.each_thread) loops_.insert(op.node);
    for_each(*problem.kernel().body, [&](const Buffer& b) {
      if (b.scope != Scope::shared) return;
      shared.push_back(&b);
      if (has_rows(b)) names.insert(b.name);
    });
    if (!names.empty()) visit(*problem.kernel().body, false);
  }

  std::unordered_set<Symbol> names;
  std::vector<const Buffer*> shared;  // all of the kernel

 private:
  static bool has_rows(const Buffer& b) {
    if (b.layout.known() || b.swizzle.known() || b.where.known() || b.pairs != Pairs::none)
      return false;
    if (b.shape.size() < 2 || bits(b.dtype) < 8) return false;
    return allocated_elements(b) <= kMaxBufferElements;
  }

  void visit(const Node& stmt, bool in_loop) {
    if (const View* view = as<View>(&stmt)) names.erase(view->buffer);
    const bool loop = loops_.count(&stmt) != 0, record = as<Record>(&stmt) != nullptr;
    for (const Effect& effect : effects(stmt)) {
      const bool element = !in_loop || !effect.region;  // no address, no atomic in a T.Parallel
      const bool by_threads = effect.who != Actor::engine && !effect.scratch && element;
      if (!by_threads || !(loop || in_loop || record)) names.erase(effect.buffer);
    }
    for_each_stmt(stmt, [&](const Stmt& s) { visit(*s, in_loop || loop); });
  }

  std::unordered_set<const Node*> loops_;
};

}  // namespace

std::vector<BufferSwizzle> bank_swizzles(const LayoutProblem& solved) {
  std::vector<BufferSwizzle> out;
  const Target& target = solved.context().target;
  if (!solved.spreads_columns()) return out;
  const TouchedByLoops touched(solved);
  if (touched.names.empty()) return out;
  std::unordered_map<Symbol, std::vector<ElementAccess>> accesses;
  for (const LayoutOp& op : solved.ops()) {
    if (op.what != LayoutOp::What::loop || !op.layout.known()) continue;
    std::optional<WarpAccesses> warp;
    for (const BufferAccess& access : op.memory) {
      if (!touched.names.count(access.buffer)) continue;
      if (!warp) warp.emplace(solved, op);
      const std::vector<ElementAccess> more = warp->of(access);
      auto& list = accesses[access.buffer];
      list.insert(list.end(), more.begin(), more.end());
    }
  }
  int64_t bytes = planned_bytes(solved.kernel(), touched.shared, target);
  for (const Buffer* b : touched.shared) {
    const auto list = accesses.find(b->name);
    if (list == accesses.end()) continue;
    const auto better =
        cheapest_swizzle(allocated_elements(*b), bits(b->dtype) / 8, list->second, target.banks);
    if (!better) continue;
    const Swizzle& swizzle = better->swizzle;
    // The buffer is aligned to the swizzle's period, which may leave a gap.
    const int64_t period = int64_t{swizzle.line} * (swizzle.mask + 1);
    if (!has_room(target, bytes, period)) continue;
    bytes += period;
    out.push_back({b->name, swizzle,
                   line_prefix(*b) + b->name.str() + ": swizzled, pieces of " +
                       std::to_string(swizzle.granule) + " bytes by lines of " +
                       std::to_string(swizzle.line) + ": the accesses of a warp take " +
                       std::to_string(better->then.wavefronts) + " wavefronts, row-major " +
                       std::to_string(better->now.wavefronts)});
  }
  return out;
}

Stmt with_swizzles(const Stmt& body, const std::vector<BufferSwizzle>& chosen) {
  return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
    const Buffer* buffer = as<Buffer>(s);
    const auto found = std::find_if(chosen.begin(), chosen.end(), [&](const BufferSwizzle& c) {
      return buffer && c.buffer == buffer->name;
    });
    if (found == chosen.end()) return s;
    Buffer with_form(*buffer);
    with_form.layout = row_major(const_shape(with_form));
    with_form.swizzle = found->swizzle;
    return at(s->span, make(std::move(with_form)));
  });
}

}  // namespace tilelab
