// SPDX-License-Identifier: Apache-2.0
// Which registers a wait for matrix groups finishes: the issues and waits of a kernel are followed
// in the order of the text, as one queue of groups. A loop is followed twice, because its first
// wait may be for what the iteration before has issued.
#include <algorithm>
#include <map>
#include <set>

#include "core/passes/flatten.h"

namespace tilelab {
namespace {

class Queue {
 public:
  explicit Queue(const Stmt& body) {
    walk(*body, [&](const Node& node) {
      if (const Buffer* b = as<Buffer>(&node); b && b->scope == Scope::local) locals_[b->name] = b;
      return group(node.kind) != Group::expr;
    });
  }

  void follow(const Stmt& s) {
    if (const Do* d = as<Do>(s)) return issue(to<Call>(d->call));
    if (const Seq* list = as<Seq>(s))
      for (const Stmt& inner : list->stmts) follow(inner);
    const For* loop = as<For>(s);
    const While* again = as<While>(s);
    for (int round = 0; (loop || again) && round < 2; ++round)
      follow(loop ? loop->body : again->body);
    if (const If* branch = as<If>(s)) {
      Queue other = *this;
      follow(branch->then_);
      if (branch->else_) other.follow(branch->else_);
      for (auto& [call, names] : other.finished_) finished_[call] = names;
      if (other.groups_.size() > groups_.size()) groups_ = other.groups_;
    }
  }

  /// The whole of each local buffer that the wait finishes.
  std::vector<Expr> finished(const Call* wait) const {
    std::vector<Expr> out;
    auto it = finished_.find(wait);
    if (it == finished_.end()) return out;
    for (const Buffer* b : it->second) out.push_back(whole(*b));
    return out;
  }

 private:
  void issue(const Call& call) {
    if (is_product(call.intrinsic) && call.intrinsic != Intrinsic::mma) {
      const Region& sums = to<Region>(call.args.at(0));
      if (auto it = locals_.find(sums.buffer); it != locals_.end()) open_.push_back(it->second);
    }
    if (call.intrinsic == Intrinsic::mma_commit) groups_.push_back(std::exchange(open_, {}));
    if (call.intrinsic != Intrinsic::mma_wait) return;
    const auto left = size_t(int_value(call.args.at(0)).value_or(0));
    std::vector<const Buffer*> done;
    while (groups_.size() > left) {
      done.insert(done.end(), groups_.front().begin(), groups_.front().end());
      groups_.erase(groups_.begin());
    }
    std::vector<const Buffer*> names;
    for (const Buffer* b : done) {
      bool pending = std::find(names.begin(), names.end(), b) != names.end();
      for (const auto& group : groups_)
        pending |= std::find(group.begin(), group.end(), b) != group.end();
      if (!pending) names.push_back(b);
    }
    finished_[&call] = std::move(names);
  }

  std::map<Symbol, const Buffer*> locals_;
  std::vector<const Buffer*> open_;
  std::vector<std::vector<const Buffer*>> groups_;
  std::map<const Call*, std::vector<const Buffer*>> finished_;
};

}  // namespace

Stmt name_finished_registers(const Stmt& kernel_body) {
  Queue queue(kernel_body);
  queue.follow(kernel_body);
  return rewrite(
      kernel_body, [](const Expr& e) { return e; },
      [&](const Stmt& s) -> Stmt {
        const Do* d = as<Do>(s);
        const Call* call = d ? as<Call>(d->call) : nullptr;
        if (!call || call->intrinsic != Intrinsic::mma_wait || call->args.size() > 1) return s;
        Call named(*call);
        for (Expr& e : queue.finished(call)) named.args.push_back(std::move(e));
        return at(s->span, make(Do{{}, make(std::move(named))}));
      });
}

}  // namespace tilelab
