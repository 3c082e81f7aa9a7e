// SPDX-License-Identifier: Apache-2.0
// Which registers a wait for matrix groups completes: a dataflow analysis in program order, whose
// state is a queue of issued groups. A loop that changes the queue is visited again, because its
// first wait may be for a group that the previous iteration issued.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/passes/flatten/flatten.h"
#include "core/support/interrupt.h"

namespace tilelab {
namespace {

class Queue {
 public:
  explicit Queue(const Stmt& body) { enter(*body); }

  void follow(const Stmt& s) {
    poll_interrupt();
    if (const Buffer* b = as<Buffer>(s)) in_scope_.push_back(b);
    if (!with_calls_.count(s.get())) return;
    if (const Do* d = as<Do>(s)) return issue(to<Call>(d->call));
    if (const Seq* list = as<Seq>(s))
      for (const Stmt& inner : list->stmts) follow(inner);
    if (const For* loop = as<For>(s)) follow_loop(loop->body);
    if (const While* loop = as<While>(s)) follow_loop(loop->body);
    if (const If* branch = as<If>(s)) {
      State before = state_;
      block(branch->then_);
      if (!branch->else_) return;
      std::swap(state_, before);  // the state after `then`
      block(branch->else_);
      join(before.groups, state_.groups);
      state_ = std::move(before);
    }
  }

  /// The whole of each local buffer that the wait completes.
  std::vector<Expr> finished(const Call* wait) const {
    std::vector<Expr> out;
    auto it = finished_.find(wait);
    if (it == finished_.end()) return out;
    for (const Buffer* b : it->second) out.push_back(whole(*b));
    return out;
  }

 private:
  using Groups = std::vector<std::vector<const Buffer*>>;
  struct State {
    std::vector<const Buffer*> open;
    Groups groups;
    bool operator==(const State&) const = default;
  };

  /// Collects the local buffers, and the statements that contain calls.
  bool enter(const Node& stmt) {
    if (const Buffer* b = as<Buffer>(&stmt); b && b->scope == Scope::local) locals_[b->name] = b;
    bool has_calls = as<Do>(&stmt) != nullptr;
    for_each_stmt(stmt, [&](const Stmt& s) { has_calls |= enter(*s); });
    if (has_calls) with_calls_.insert(&stmt);
    return has_calls;
  }

  /// Aligns the youngest groups of both paths and merges what they write.
  static void join(Groups& into, Groups& other) {
    if (other.size() > into.size()) std::swap(into, other);
    for (size_t i = 0; i < other.size(); ++i) {
      std::vector<const Buffer*>& one = into[into.size() - other.size() + i];
      for (const Buffer* b : other[i])
        if (std::find(one.begin(), one.end(), b) == one.end()) one.push_back(b);
    }
  }

  /// Declarations inside are out of scope afterwards.
  void block(const Stmt& body) {
    const size_t outside = in_scope_.size();
    follow(body);
    in_scope_.resize(outside);
  }

  void follow_loop(const Stmt& body) {
    const State before = state_;
    block(body);
    if (state_ != before) block(body);
  }

  void issue(const Call& call) {
    if (is_matmul(call.intrinsic) && call.intrinsic != Intrinsic::mma) {
      const Region& sums = to<Region>(call.args.at(0));
      if (auto it = locals_.find(sums.buffer); it != locals_.end())
        state_.open.push_back(it->second);
    }
    Groups& groups = state_.groups;
    if (call.intrinsic == Intrinsic::mma_commit) groups.push_back(std::exchange(state_.open, {}));
    if (call.intrinsic != Intrinsic::mma_wait) return;
    const auto left = size_t(int_value(call.args.at(0)).value_or(0));
    std::vector<const Buffer*> done;
    while (groups.size() > left) {
      done.insert(done.end(), groups.front().begin(), groups.front().end());
      groups.erase(groups.begin());
    }
    std::vector<const Buffer*> names;
    for (const Buffer* b : done) {
      auto has = [&](const std::vector<const Buffer*>& list) {
        return std::find(list.begin(), list.end(), b) != list.end();
      };
      const bool pending = has(names) || std::any_of(groups.begin(), groups.end(), has);
      if (!pending && has(in_scope_)) names.push_back(b);
    }
    finished_[&call] = std::move(names);
  }

  std::map<Symbol, const Buffer*> locals_;
  std::vector<const Buffer*> in_scope_;         // buffers in scope
  std::unordered_set<const Node*> with_calls_;  // statements with calls in them
  State state_;
  std::unordered_map<const Call*, std::vector<const Buffer*>> finished_;
};

}  // namespace

Stmt name_finished_registers(const Stmt& kernel_body) {
  Queue queue(kernel_body);
  queue.follow(kernel_body);
  return rewrite_stmts(kernel_body, [&](const Stmt& s) -> Stmt {
    const Call* call = called(s);
    if (!call || call->intrinsic != Intrinsic::mma_wait || call->args.size() > 1) return s;
    Call named(*call);
    for (Expr& e : queue.finished(call)) named.args.push_back(std::move(e));
    return at(s->span, make(Do{{}, make(std::move(named))}));
  });
}

}  // namespace tilelab
