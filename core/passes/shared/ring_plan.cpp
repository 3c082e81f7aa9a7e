// SPDX-License-Identifier: Apache-2.0
// Abstract interpretation of the program with three counters per ring and one for matmuls. Loops
// are iterated to a fixpoint; joins keep the safe bound of each counter.
#include "core/passes/shared/ring_plan.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

struct Count {
  int64_t younger = 0;         // committed and not waited for: lower bound
  int64_t held = 0;            // acquired and not released: upper bound
  int64_t unsynchronized = 0;  // acquired, and not released before the last barrier: upper bound
  bool operator==(const Count&) const = default;
};

struct State {
  std::map<Symbol, Count> rings;
  int64_t matmuls = 0;  // in flight: upper bound
  bool operator==(const State&) const = default;
};

void merge(State& into, const State& other) {
  into.matmuls = std::max(into.matmuls, other.matmuls);
  for (auto& [ring, count] : into.rings) {
    const Count& o = other.rings.at(ring);
    count.younger = std::min(count.younger, o.younger);
    count.held = std::max(count.held, o.held);
    count.unsynchronized = std::max(count.unsynchronized, o.unsynchronized);
  }
}

class Follower {
 public:
  Follower(const Stmt& body, const RingTable& rings) : rings_(rings) {
    walk(*body, [&](const Node& node) {
      const RingOp* op = as<RingOp>(&node);
      const Gemm* gemm = as<Gemm>(&node);
      if (op) state_.rings.emplace(op->ring, Count());
      needed |= op || (gemm && gemm->wait > 0);
      return node.kind != Kind::Role && group(node.kind) != Group::expr;
    });
    int64_t fifos[2] = {};
    for (const auto& [name, count] : state_.rings) {
      const RingFill fill = rings.at(name)->fill;
      if (fill == RingFill::group || fill == RingFill::store) ++fifos[fill == RingFill::store];
    }
    shared_ = fifos[0] > 1 || fifos[1] > 1;
  }

  void follow(const Stmt& stmt) {
    if (!stmt || stmt->kind == Kind::Role) return;
    if (const RingOp* op = as<RingOp>(stmt)) return step(*op);
    if (const Gemm* gemm = as<Gemm>(stmt)) return matmul(*gemm);
    if (const Do* d = as<Do>(stmt)) return call(to<Call>(d->call));
    if (const Seq* list = as<Seq>(stmt))
      for (const Stmt& each : list->stmts) follow(each);
    if (const If* branch = as<If>(stmt)) {
      State before = state_;
      follow(branch->then_);
      std::swap(before, state_);
      follow(branch->else_);
      merge(state_, before);
    }
    if (const For* f = as<For>(stmt)) known_loop(f->body, trip_count(*f));
    if (const While* w = as<While>(stmt)) known_loop(w->body, std::nullopt);
    if (const TileLoop* t = as<TileLoop>(stmt)) known_loop(t->body, std::nullopt);
    if (stmt->kind == Kind::Break && !left_.empty()) left_.back().push_back(state_);
  }

  RingPlan plan;
  bool needed = false;  // else no result is needed

 private:
  static std::optional<int64_t> trip_count(const For& f) {
    if (!f.steps.empty()) return int64_t(f.steps.size());
    auto lo = int_value(f.lo), hi = int_value(f.hi);
    auto step = f.step ? int_value(f.step) : 1;
    if (!lo || !hi || !step || *step <= 0) return std::nullopt;
    return std::max<int64_t>(0, (*hi - *lo + *step - 1) / *step);
  }

  /// Caches loops by their entry state, so that nests stay cheap.
  void known_loop(const Stmt& body, std::optional<int64_t> n) {
    for (const auto& [begin, end] : known_[body.get()])
      if (begin == state_) return void(state_ = end);
    const State begin = state_;
    loop(body, n);
    known_[body.get()].push_back({begin, state_});
  }

  /// Iterates while the state changes; an unknown trip count may be zero.
  void loop(const Stmt& body, std::optional<int64_t> n) {
    left_.emplace_back();
    for (int64_t iteration = 0; !n || iteration < *n; ++iteration) {
      const State before = state_;
      follow(body);
      if (!n || iteration > kExactIterations) merge(state_, before);
      if (state_ == before) break;
    }
    for (const State& left : left_.back()) merge(state_, left);
    left_.pop_back();
  }

  void synchronize() {
    for (auto& [ring, count] : state_.rings) count.unsynchronized = count.held;
  }

  void call(const Call& call) {
    const IntrinsicInfo& row = info(call.intrinsic);
    if (row.step == Step::sync && row.scope != CollectiveScope::warp) synchronize();
    if (call.intrinsic == Intrinsic::mma_wait)
      state_.matmuls = std::min(state_.matmuls, int_value(call.args.at(0)).value_or(kMaxMatmuls));
  }

  void matmul(const Gemm& gemm) {
    const int64_t left = std::max<int64_t>(gemm.wait, 0);
    state_.matmuls = std::min(state_.matmuls + 1, kMaxMatmuls);
    if (state_.matmuls <= left && !plan.waits.count(&gemm)) return;
    plan.waits.insert(&gemm);
    state_.matmuls = std::min(state_.matmuls, left);
  }

  void step(const RingOp& op) {
    const Ring& ring = *rings_.at(op.ring);
    Count& c = state_.rings.at(op.ring);
    const bool stores = ring.fill == RingFill::store;
    switch (op.op) {
      case RingOpKind::acquire: {
        const int64_t held = shared_ ? ring.stages : c.held;
        auto [it, fresh] = plan.held.try_emplace(&op, held);
        if (!fresh) it->second = std::max(it->second, held);
        if (c.unsynchronized >= ring.stages) plan.unsynchronized.insert(&op);
        if (stores || plan.unsynchronized.count(&op)) synchronize();
        c.held = std::min(c.held + 1, ring.stages);
        c.unsynchronized = std::min(c.unsynchronized + 1, 2 * ring.stages);
        break;
      }
      case RingOpKind::commit:
        c.younger = std::min(c.younger + 1, ring.stages);
        if (stores) synchronize();
        break;
      case RingOpKind::wait: {
        c.younger = std::max<int64_t>(0, c.younger - 1);
        const int64_t younger = shared_ ? 0 : c.younger;
        auto [it, fresh] = plan.younger.try_emplace(&op, younger);
        if (!fresh) it->second = std::min(it->second, younger);
        if (is_ordered_by_barriers(ring)) synchronize();
        break;
      }
      case RingOpKind::release: c.held = std::max<int64_t>(0, c.held - 1); break;
    }
  }

  static constexpr int64_t kExactIterations = 64, kMaxMatmuls = 64;
  const RingTable& rings_;
  State state_;
  std::unordered_map<const Node*, std::vector<std::pair<State, State>>> known_;
  std::vector<std::vector<State>> left_;  // states at the breaks of each loop
  bool shared_ = false;  // rings share one FIFO: the number of groups per ring is not tracked
};

/// Finds the sides that hold several slots at once, bottom up.
class Several {
 public:
  /// The sides that the statement has operations of.
  std::set<RingSide> visit(const Stmt& stmt) {
    std::set<RingSide> used;
    if (!stmt || stmt->kind == Kind::Role) return used;
    if (const RingOp* op = as<RingOp>(stmt)) {  // its partner is in another list
      found.insert(side_of(*op));
      used.insert(side_of(*op));
    } else if (const Seq* list = as<Seq>(stmt)) {
      sequence(*list, used);
    } else {
      for_each_stmt(*stmt, [&](const Stmt& s) { join(used, visit(s)); });
    }
    return used;
  }

  std::set<RingSide> found;

 private:
  static RingSide side_of(const RingOp& op) { return {op.ring, fills_slots(op.op)}; }

  static void join(std::set<RingSide>& into, std::set<RingSide> other) {
    if (into.size() < other.size()) std::swap(into, other);
    into.merge(other);
  }

  void sequence(const Seq& list, std::set<RingSide>& used) {
    std::set<RingSide> open;  // that have a slot
    for (const Stmt& each : list.stmts) {
      if (const RingOp* op = as<RingOp>(each)) {
        const RingSide side = side_of(*op);
        used.insert(side);
        const bool fits = takes_slot(op->op) ? open.insert(side).second : open.erase(side) != 0;
        if (!fits) found.insert(side);
        continue;
      }
      std::set<RingSide> inside = visit(each);
      for (const RingSide& side : inside)
        if (open.count(side)) found.insert(side);
      join(used, std::move(inside));
    }
    found.insert(open.begin(), open.end());
  }
};

}  // namespace

RingPlan plan_rings(const Stmt& body, const RingTable& rings) {
  Follower follower(body, rings);
  if (follower.needed) follower.follow(body);
  return follower.plan;
}

std::set<RingSide> sides_of_several(const Stmt& body) {
  Several several;
  several.visit(body);
  return std::move(several.found);
}

}  // namespace tilelab
