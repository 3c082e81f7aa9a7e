// SPDX-License-Identifier: Apache-2.0
// plan_shared_memory: assigns each shared buffer an offset in the arena, and computes the arena's
// size.
// Buffers are placed one after another, the strictest alignment first, while that takes at most a
// quarter of a block's limit: sharing memory costs barriers, and four blocks fit anyway. Beyond
// that, or with tl.enable_aggressive_shared_memory_merge, buffers with disjoint live ranges
// overlap. Never shared: rings, buffers that engines access (asynchronously), and buffers of
// different roles (which run concurrently).
//   red0 = shared(f32, [2, 4], at=0)    red1 = shared(f32, [2, 4], at=32)
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/analysis/divergence.h"
#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/passes/passes.h"
#include "core/passes/shared/hardware_units.h"
#include "core/passes/shared/ring_plan.h"
#include "core/support/round_up.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

struct ArenaPlace {
  const Buffer* buffer = nullptr;
  int64_t bytes = 0, align = 16, at = 0;
  int64_t first = -1, last = -1;  // statements, counted in program order
  int depth = 0;                  // loops around the declaration
  std::set<Symbol> roles;
  bool alone = false;  // never shares memory
};

class ArenaPlanner {
 public:
  ArenaPlanner(const Func& func, const Kernel& kernel, const Target& target)
      : kernel_(kernel), views_(views_of(*kernel.body)) {
    const Attr* asked = find_attr(func.configs, "tl.enable_aggressive_shared_memory_merge");
    if (!asked || asked->integer == 0) unshared_bytes_ = target.shared_bytes / 4;
    for_each(
        *kernel.body,
        [&](const Buffer& own) {
          if (own.scope == Scope::barrier) barriers_ += const_shape(own)[0];
        },
        [&](const Ring& ring) { barriers_ += counts_arrivals(ring) ? 2 * ring.stages : 0; });
    barriers_ *= target.barriers.bytes;
  }

  void plan() {
    visit(kernel_.body);
    std::stable_sort(places_.begin(), places_.end(),
                     [](const auto& a, const auto& b) { return a.align > b.align; });
    place_all(false);
    reused_ = total_ > unshared_bytes_ && any_can_share();
    if (reused_) place_all(true);
  }

  int64_t total() const { return total_; }
  /// With the barriers that follow the arena.
  int64_t needed() const { return total_ + barriers_; }
  int64_t sum() const {
    int64_t bytes = 0;
    for (const auto& place : places_) bytes += place.bytes;
    return bytes;
  }
  bool reused() const { return reused_; }
  const std::vector<ArenaPlace>& places() const { return places_; }

 private:
  void declare(const Buffer& buffer) {
    ArenaPlace place;
    place.buffer = &buffer;
    place.bytes = allocated_bytes(buffer);
    if (buffer.swizzle.known()) place.align = buffer.swizzle.line * (buffer.swizzle.mask + 1);
    place.depth = int(loops_.size());
    while (place.depth > 0 && branches_.count(loops_[size_t(place.depth) - 1])) --place.depth;
    place.alone = bool(buffer.ring);
    index_[buffer.name] = places_.size();
    places_.push_back(std::move(place));
  }

  /// `late`: the access may still be in flight after the statement.
  void use(Symbol name, bool late) {
    auto it = index_.find(views_.base_of(name));
    if (it == index_.end()) return;
    ArenaPlace& place = places_[it->second];
    // The contents live through all iterations of loops that began after the declaration.
    int64_t from = now_;
    if (int(loops_.size()) > place.depth) from = loops_[place.depth];
    if (place.first < 0 || from < place.first) place.first = from;
    place.last = std::max(place.last, now_);
    if (int(loops_.size()) > place.depth) open_.insert(it->second);
    place.roles.insert(role_);
    if (late) {
      place.alone = true;
      place.align = std::max<int64_t>(place.align, 128);
    }
  }

  /// Workspaces live only within their operation, whatever loop contains it.
  void use_workspace(Symbol name) {
    auto it = index_.find(name);
    if (it == index_.end()) return;
    ArenaPlace& place = places_[it->second];
    if (place.first < 0) place.first = now_;
    place.last = std::max(place.last, now_);
    place.roles.insert(role_);
  }

  void uses_of(const Stmt& stmt) {
    for (const Effect& effect : effects(*stmt))
      effect.scratch ? use_workspace(effect.buffer) : use(effect.buffer, effect.late());
  }

  void visit(const Stmt& stmt) {
    if (!stmt) return;
    ++now_;
    if (const Buffer* buffer = as<Buffer>(stmt)) {
      if (buffer->scope == Scope::shared) declare(*buffer);
      return;
    }
    if (as<View>(stmt)) return;
    uses_of(stmt);
    Symbol outer_role = role_;
    if (const Role* role = as<Role>(stmt)) role_ = role->name;
    // Thread ranges progress independently: buffers used in a branch for some threads live through
    // it, as through a loop. So do those of T.Parallel iterations, which have no barrier between
    // them.
    bool range = as<If>(stmt) && varying_(*stmt) && has_tile_operation(stmt);
    bool loop =
        as<For>(stmt) || as<While>(stmt) || as<TileLoop>(stmt) || as<Parallel>(stmt) || range;
    if (range) branches_.insert(now_);
    if (loop) loops_.push_back(now_);
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s); });
    if (loop) close_loop();
    role_ = outer_role;
  }

  /// Buffers used in the loop and declared outside live to its end.
  void close_loop() {
    loops_.pop_back();
    ++now_;
    for (auto it = open_.begin(); it != open_.end();) {
      ArenaPlace& place = places_[*it];
      place.last = now_;
      it = place.depth >= int(loops_.size()) ? open_.erase(it) : std::next(it);
    }
  }

  static bool may_share(const ArenaPlace& a, const ArenaPlace& b) {
    if (a.alone || b.alone) return false;
    if (a.roles.size() > 1 || a.roles != b.roles) return false;
    return a.last < b.first || b.last < a.first;
  }

  /// Whether any two can share: per set of roles, the first to end and the last to begin.
  bool any_can_share() const {
    std::map<std::set<Symbol>, std::pair<const ArenaPlace*, const ArenaPlace*>> ends;
    for (const ArenaPlace& place : places_) {
      if (place.alone) continue;
      auto& [early, late] = ends.emplace(place.roles, std::pair(&place, &place)).first->second;
      if (place.last < early->last) early = &place;
      if (place.first > late->first) late = &place;
    }
    return std::any_of(ends.begin(), ends.end(), [](const auto& each) {
      return may_share(*each.second.first, *each.second.second);
    });
  }

  /// First fit: the lowest aligned offset not taken by a buffer with an overlapping live range.
  void place_all(bool share) {
    total_ = 0;
    std::vector<const ArenaPlace*> placed;  // by offset
    for (ArenaPlace& place : places_) {
      place.at = 0;
      for (const ArenaPlace* other : placed) {
        if (place.at + place.bytes <= other->at) break;
        if (other->at + other->bytes <= place.at || (share && may_share(place, *other))) continue;
        place.at = round_up(other->at + other->bytes, place.align);
      }
      auto position = std::upper_bound(placed.begin(), placed.end(), place.at,
                                       [](int64_t at, const auto* p) { return at < p->at; });
      placed.insert(position, &place);
      total_ = std::max(total_, place.at + place.bytes);
    }
  }

  const Kernel& kernel_;
  const DivergenceAnalysis varying_{kernel_};
  const BufferViews views_;
  std::vector<ArenaPlace> places_;
  std::unordered_map<Symbol, size_t> index_;
  std::vector<int64_t> loops_;  // start of each enclosing loop
  std::set<int64_t> branches_;  // those of `loops_` that are branches for some threads
  std::set<size_t> open_;       // used in a loop that is not closed yet
  Symbol role_;
  int64_t unshared_bytes_ = 0;  // bytes that are never shared
  int64_t now_ = 0, total_ = 0, barriers_ = 0;
  bool reused_ = false;
};

void report_size(const Kernel& kernel, const ArenaPlanner& planner, PassContext& context) {
  Diagnostic& message =
      context.diagnostics.report(Diag::shared_memory_size, kernel.span, planner.needed(),
                                 context.target.name, context.target.shared_bytes);
  for (const auto& place : planner.places())
    message.label(place.buffer->span,
                  place.buffer->name.str() + ": " + std::to_string(place.bytes) + " bytes");
  message.help("use smaller tiles, fewer stages, or a narrower type");
}

}  // namespace

std::unordered_map<Symbol, int64_t> excessive_layouts(const Func& scheduled, const Func& placed,
                                                      const Target& target) {
  std::unordered_map<Symbol, int64_t> out;
  for_each_of_host(placed, [&](const Kernel& kernel) {
    ArenaPlanner planner(placed, kernel, target);
    planner.plan();
    if (planner.needed() > target.shared_bytes) out.emplace(kernel.name, planner.total());
  });
  for_each_of_host(scheduled, [&](const Kernel& kernel) {
    auto it = out.find(kernel.name);
    if (it == out.end()) return;
    for_each(*kernel.body, [&](const Buffer& buffer) {
      if (buffer.scope == Scope::shared) it->second -= allocated_bytes(buffer);
    });
  });
  return out;
}

FuncRef plan_shared_memory(const FuncRef& func, PassContext& context) {
  return rewrite_kernels(func, [&](const Kernel& kernel) {
    ArenaPlanner planner(*func, kernel, context.target);
    planner.plan();
    if (planner.needed() > context.target.shared_bytes) report_size(kernel, planner, context);
    std::unordered_map<Symbol, int64_t> offsets;
    for (const auto& place : planner.places()) offsets.emplace(place.buffer->name, place.at);
    Kernel planned(kernel);
    planned.smem = planner.total();
    planned.body = rewrite_stmts(kernel.body, [&](const Stmt& inner) -> Stmt {
      const Buffer* buffer = as<Buffer>(inner);
      if (!buffer || buffer->scope != Scope::shared) return inner;
      Buffer next(*buffer);
      next.at = offsets.at(buffer->name);
      return make(std::move(next));
    });
    if (planner.total() > 0)
      context.decide(std::to_string(planner.total()) + " bytes" +
                     (planner.reused() ? " for buffers of " + std::to_string(planner.sum()) : ""));
    return make(std::move(planned));
  });
}

}  // namespace tilelab
