// SPDX-License-Identifier: Apache-2.0
#include "core/passes/schedule_pipelines/overlap_matmul.h"

#include <algorithm>
#include <deque>
#include <set>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/passes/shared/ring_plan.h"

namespace tilelab {

Symbol bound_by(const Node& stmt) {
  if (const Let* let = as<Let>(&stmt)) return let->name;
  const RingOp* op = as<RingOp>(&stmt);
  return op && takes_slot(op->op) ? op->slot : Symbol();
}

bool is_movable(const Stmt& stmt) {
  if (as<RingOp>(stmt) || as<Let>(stmt)) return true;
  if (any_of(*stmt, [](const Call& call) { return !info(call.intrinsic).pure(); })) return false;
  return !contains<Buffer, View, Var, Assign, RingOp, Ring, Role, Record, Do, Break, While>(*stmt);
}

namespace {

constexpr size_t kMostInFlight = 7;  // that a wait can leave (PTX ISA, wgmma.wait_group)

/// Others may then rely on completed matmuls: threads that a barrier orders, those that fill a
/// slot, or the statements after the loop.
bool synchronizes(const Stmt& stmt) {
  if (contains<Break>(*stmt) || (!as<RingOp>(stmt) && contains<RingOp>(*stmt))) return true;
  return any_of(*stmt, [](const Call& call) {
    const IntrinsicInfo& row = info(call.intrinsic);
    return row.orders() || row.async != Async::none;
  });
}

/// A statement with what it depends on.
struct Item {
  Stmt stmt;
  Touched memory;
  std::set<Symbol> rings;  // of slots that it accesses, takes or gives back
  Symbol binds = {};       // the name it binds for later ones
  const Gemm* matmul = nullptr;
  bool fixed = false, synchronizes = false;
  std::vector<size_t> needs = {};  // earlier statements

  const RingOp* ring_op() const { return as<RingOp>(stmt); }
  bool shares_ring(const Item& other) const {
    return std::any_of(rings.begin(), rings.end(),
                       [&](Symbol ring) { return other.rings.count(ring) != 0; });
  }
  bool releases() const { return is_ring_op(stmt, RingOpKind::release); }
  /// It takes no time, and a matmul may need it.
  bool sets_up() const {
    return as<Fill>(stmt) || as<Let>(stmt) || is_ring_op(stmt, RingOpKind::wait);
  }
};

class MatmulOrder {
 public:
  MatmulOrder(const std::vector<Stmt>& body, const BufferTable& buffers, const BufferViews& views)
      : buffers_(buffers) {
    std::set<Symbol> filling;  // rings with an acquired slot
    for (const Stmt& stmt : body) {
      items_.push_back(item(stmt, views));
      fills_slots_of(filling, items_.back());
    }
    for (size_t j = 0; j < items_.size(); ++j)
      for (size_t i = 0; i < j; ++i)
        if (depends(items_[i], items_[j])) items_[j].needs.push_back(i);
  }

  std::vector<Stmt> order(int64_t fragment_bytes) {
    std::vector<size_t> given = ordered(Reach::matmuls), early = ordered(Reach::all);
    const bool fits = live(early) <= std::max(live(given), fragment_bytes);
    for (size_t i : fits ? early : given) place(items_[i]);
    wait(in_flight_.size());
    return overlaps_ ? std::move(out_) : std::vector<Stmt>{};
  }

 private:
  Item item(const Stmt& stmt, const BufferViews& views) const {
    Item out{stmt, touched(*stmt, views), {}};
    const Gemm* matmul = as<Gemm>(stmt);
    if (matmul && asynchronous(*matmul)) out.matmul = matmul;
    if (matmul && matmul->clear && is_int(matmul->clear, 1))
      out.memory.read.erase(views.base_of(to<Region>(matmul->c).buffer));
    out.fixed = !is_movable(stmt), out.synchronizes = synchronizes(stmt);
    out.binds = bound_by(*stmt);
    if (const RingOp* op = out.ring_op()) out.rings.insert(op->ring);
    for (const auto* names : {&out.memory.read, &out.memory.written})
      for (Symbol name : *names)
        if (auto it = buffers_.find(name); it != buffers_.end() && it->second->ring)
          out.rings.insert(it->second->ring);
    return out;
  }

  /// The slot that is filled is none of those that are used.
  void fills_slots_of(std::set<Symbol>& filling, Item& item) const {
    if (const RingOp* op = item.ring_op(); op && fills_slots(op->op))
      op->op == RingOpKind::acquire ? (void)filling.insert(op->ring)
                                    : (void)filling.erase(op->ring);
    for (std::set<Symbol>* names : {&item.memory.read, &item.memory.written}) {
      std::set<Symbol> out;
      for (Symbol name : *names) {
        auto it = buffers_.find(name);
        const bool slot = it != buffers_.end() && filling.count(it->second->ring);
        out.insert(slot ? Symbol(name.str() + " of the filled slot") : name);
      }
      *names = std::move(out);
    }
  }

  static bool depends(const Item& before, const Item& after) {
    if (before.fixed || after.fixed) return true;
    if (before.binds && mentions(*after.stmt, before.binds)) return true;
    if ((before.ring_op() || after.ring_op()) && before.shares_ring(after)) return true;
    return conflict(before.memory, after.memory);
  }

  /// How far matmuls move ahead: of all statements that they do not need, or of other matmuls,
  /// which costs no registers.
  enum class Reach : uint8_t { matmuls, all };

  /// Matmuls first, and what they need; the rest in the given order.
  std::vector<size_t> ordered(Reach reach) const {
    std::vector<size_t> out;
    std::vector<bool> done(items_.size());
    while (out.size() < items_.size()) {
      const size_t next = next_of(done, reach);
      done[next] = true;
      out.push_back(next);
    }
    return out;
  }

  size_t next_of(const std::vector<bool>& done, Reach reach) const {
    const size_t first = size_t(std::find(done.begin(), done.end(), false) - done.begin());
    size_t matmul = items_.size();
    for (size_t i = first; i < items_.size(); ++i) {
      if (done[i]) continue;
      const Item& item = items_[i];
      if (item.matmul && is_set_up(i, done) &&
          (matmul == items_.size() || used_at(i) < used_at(matmul)))
        matmul = i;
      if (reach == Reach::matmuls && !item.matmul && !item.sets_up()) break;
    }
    return matmul < items_.size() ? first_open(matmul, done) : first;
  }

  /// The first statement that needs the matmul's result in this iteration.
  size_t used_at(size_t matmul) const {
    for (size_t i = matmul + 1; i < items_.size(); ++i)
      if (conflict(items_[matmul].memory, items_[i].memory)) return i;
    return items_.size();
  }

  /// Whether all that the statement still waits for sets up the next matmul.
  bool is_set_up(size_t i, const std::vector<bool>& done) const {
    return std::all_of(items_[i].needs.begin(), items_[i].needs.end(), [&](size_t need) {
      return done[need] || (items_[need].sets_up() && is_set_up(need, done));
    });
  }

  size_t first_open(size_t i, const std::vector<bool>& done) const {
    for (size_t need : items_[i].needs)
      if (!done[need]) return first_open(need, done);
    return i;
  }

  /// The most bytes of fragments that are live at one time.
  int64_t live(const std::vector<size_t>& order) const {
    std::vector<int64_t> change(order.size() + 1);
    for (const auto& [name, buffer] : buffers_) {
      if (buffer->scope != Scope::fragment) continue;
      size_t first = order.size(), last = 0;
      bool carried = false;
      for (size_t at = 0; at < order.size(); ++at) {
        const Touched& memory = items_[order[at]].memory;
        if (!memory.read.count(name) && !memory.written.count(name)) continue;
        if (first == order.size()) first = at, carried = memory.read.count(name) != 0;
        last = at;
      }
      if (first == order.size()) continue;
      int64_t size = bytes(buffer->dtype);
      for (int64_t extent : const_shape(*buffer)) size *= extent;
      change[carried ? 0 : first] += size;
      change[carried ? order.size() : last + 1] -= size;
    }
    int64_t now = 0, most = 0;
    for (int64_t each : change) most = std::max(most, now += each);
    return most;
  }

  // ---- waits

  struct InFlight {
    const Item* matmul;
    std::vector<Stmt> releases;  // of slots that it reads
    bool overlaps = false;
  };

  void place(const Item& item) {
    if (item.releases()) {
      for (size_t i = in_flight_.size(); i-- > 0;)
        if (in_flight_[i].matmul->shares_ring(item))
          return in_flight_[i].releases.push_back(item.stmt);
    } else {
      wait(needed(item));
      for (InFlight& each : in_flight_) each.overlaps |= !item.sets_up();
    }
    if (!item.matmul) return out_.push_back(item.stmt);
    if (in_flight_.size() == kMostInFlight) wait(1);
    Gemm started(*item.matmul);
    in_flight_.push_back({&item, {}});
    started.wait = int64_t(in_flight_.size());
    out_.push_back(at(item.stmt->span, make(std::move(started))));
  }

  /// How many of the oldest matmuls must be complete.
  size_t needed(const Item& item) const {
    for (size_t i = in_flight_.size(); i-- > 0;) {
      const Item& matmul = *in_flight_[i].matmul;
      if (item.synchronizes || conflict(matmul.memory, item.memory)) return i + 1;
    }
    return 0;
  }

  /// Slots are released as soon as their matmul is complete.
  void wait(size_t count) {
    for (; count > 0; --count) {
      InFlight done = std::move(in_flight_.front());
      in_flight_.pop_front();
      overlaps_ |= done.overlaps;
      if (count > 1 && done.releases.empty()) continue;
      out_.push_back(do_call(Intrinsic::mma_wait, {int_const(int64_t(in_flight_.size()))}));
      for (Stmt& release : done.releases) out_.push_back(std::move(release));
    }
  }

  const BufferTable& buffers_;
  std::vector<Item> items_;
  std::deque<InFlight> in_flight_;
  std::vector<Stmt> out_;
  bool overlaps_ = false;
};

}  // namespace

std::vector<Stmt> order_of_matmuls(const std::vector<Stmt>& body, const BufferTable& buffers,
                                   const BufferViews& views, int64_t fragment_bytes) {
  return MatmulOrder(body, buffers, views).order(fragment_bytes);
}

}  // namespace tilelab
