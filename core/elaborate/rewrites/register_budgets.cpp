// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/rewrites.h"

#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/elaborate/rewrites/roles.h"
#include "core/ir/build.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {
namespace {

/// Of NVIDIA's multiprocessors, the only ones with register reallocation; steps and limits are
/// those of setmaxnreg (PTX ISA, 9.7.20.5).
constexpr int64_t kRegisters = 65536, kStep = 8, kMinBudget = 24, kMaxBudget = 256;

const Call* budget_of(const Node& node) {
  const Do* statement = as<Do>(&node);
  const Call* call = statement ? as<Call>(statement->call) : nullptr;
  return call && call->intrinsic == Intrinsic::reg_limit ? call : nullptr;
}

class Budgets {
 public:
  Budgets(int64_t block, int64_t min_blocks) : block_(block), min_blocks_(min_blocks) {}

  /// Removes the budget calls from a statement of the kernel's body; stores their value in a role.
  Stmt taken(const Stmt& stmt) {
    const Role* role = as<Role>(stmt);
    const If* branch = as<If>(stmt);
    int64_t count = 0;
    if (const Let* let = as<Let>(stmt)) lets_[let->name] = let->value;
    if (branch && !branch->else_) {
      const auto range = threads_where(branch->cond, {0, block_}, lets_, kWarp);
      If out(*branch);
      out.then_ = without_calls(branch->then_, count);
      if (range && count > 0) in_front_.push_back({*range, count});
      const Seq* left = as<Seq>(out.then_);
      return count == 0 ? stmt : left && left->stmts.empty() ? seq({}) : make(std::move(out));
    }
    if (!role) return without_calls(stmt, count);
    Role out(*role);
    out.body = without_calls(role->body, count);
    out.regs = count;
    ranges_.push_back({role->lo, role->hi});
    return at(count > 0 ? calls_.back()->span : stmt->span, make(std::move(out)));
  }

  /// Applies budgets that the program set before the roles. Reallocation is per warp group: a role
  /// of a part of a group determines the budget of the rest, if that has none.
  Stmt counted(const Stmt& stmt) {
    const Role* role = as<Role>(stmt);
    if (!role) return stmt;
    Role out(*role);
    for (const auto& [range, count] : in_front_)
      if (out.regs == 0 && range.contains({role->lo, role->hi})) out.regs = count;
    const ThreadRange groups{role->lo / kGroup * kGroup, (role->hi + kGroup - 1) / kGroup * kGroup};
    for (const ThreadRange& other : ranges_)
      separate_ &= other == ThreadRange{role->lo, role->hi} || other.hi <= groups.lo ||
                   groups.hi <= other.lo;
    ++roles_;
    budgets_ += out.regs > 0;
    legal_ &= out.regs == 0 ||
              (out.regs % kStep == 0 && out.regs >= kMinBudget && out.regs <= kMaxBudget);
    total_ += out.regs * groups.count();
    most_ = std::max(most_, out.regs);
    return at(stmt->span, make(std::move(out)));
  }

  /// Why registers are not reallocated; empty if they are.
  std::string problem() const {
    if (!roles_) return "no warp group waits for a barrier separately";
    if (!legal_) return "the number of registers must be 24 to 256, and a multiple of 8";
    if (!separate_) return "several parts of a warp group wait separately";
    if (roles_ != budgets_) return "a warp group has no register budget";
    const int64_t each =
        std::min(kRegisters / (block_ * min_blocks_), kMaxBudget - kStep) / kStep * kStep;
    if (most_ <= each) return "a thread of this block already has " + std::to_string(each);
    if (total_ <= each * block_) return "";
    return "the total is " + plural(total_, "register") + ", but the block has " +
           std::to_string(each * block_);
  }
  const std::vector<Stmt>& calls() const { return calls_; }

 private:
  /// `count`: the value of the last call.
  Stmt without_calls(const Stmt& stmt, int64_t& count) {
    return rewrite_stmts(stmt, [&](const Stmt& s) -> Stmt {
      const Call* call = budget_of(*s);
      if (!call) return s;
      calls_.push_back(s);
      count = *int_value(call->args[0]);
      return seq({});
    });
  }

  int64_t block_, min_blocks_, roles_ = 0, budgets_ = 0, total_ = 0, most_ = 0;
  bool legal_ = true, separate_ = true;
  std::vector<std::pair<ThreadRange, int64_t>> in_front_;
  std::vector<ThreadRange> ranges_;  // of the roles
  Substitution lets_;
  std::vector<Stmt> calls_;
};

Stmt without_budget(const Stmt& stmt) {
  const Role* role = as<Role>(stmt);
  if (!role) return stmt;
  Role out(*role);
  out.regs = 0;
  return at(stmt->span, make(std::move(out)));
}

}  // namespace

Stmt with_register_budgets(const Stmt& body, int64_t block, int64_t min_blocks,
                           Diagnostics& diagnostics) {
  const Seq* list = as<Seq>(body);
  std::vector<Stmt> out = list ? list->stmts : std::vector<Stmt>{body};
  Budgets budgets(block, min_blocks);
  for (Stmt& stmt : out) stmt = budgets.taken(stmt);
  for (Stmt& stmt : out) stmt = budgets.counted(stmt);
  if (budgets.calls().empty()) return body;
  const std::string problem = budgets.problem();
  if (!problem.empty()) {
    for (Stmt& stmt : out) stmt = without_budget(stmt);
    diagnostics.report(usage::option_no_effect, budgets.calls()[0]->span, "the register budget")
        .note(problem);
  }
  return seq(std::move(out));
}

}  // namespace tilelab::elaborate
