// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/register_budgets.h"

#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {
namespace {

/// Of NVIDIA's multiprocessors, whose warps alone can hand registers over; steps and limits are
/// those of setmaxnreg (PTX ISA, 9.7.20.5).
constexpr int64_t kRegisters = 65536, kStep = 8, kLeast = 24, kMost = 256;

const Call* budget_of(const Node& node) {
  const Do* statement = as<Do>(&node);
  const Call* call = statement ? as<Call>(statement->call) : nullptr;
  return call && call->intrinsic == Intrinsic::reg_limit ? call : nullptr;
}

class Budgets {
 public:
  explicit Budgets(int64_t block) : block_(block) {}

  /// A statement of the kernel's body without the calls in it: of a role, with its budget.
  Stmt taken(const Stmt& stmt) {
    const Role* role = as<Role>(stmt);
    int64_t count = 0;
    if (!role) return without_calls(stmt, count);
    Role out(*role);
    out.body = without_calls(role->body, count);
    out.regs = count;
    ++roles_;
    budgets_ += count > 0;
    legal_ &= count == 0 || (count % kStep == 0 && count >= kLeast && count <= kMost);
    total_ += count * (role->hi - role->lo);
    most_ = std::max(most_, count);
    return at(stmt->span, make(std::move(out)));
  }

  /// Why there is no hand-over; empty where there is one.
  std::string trouble() const {
    if (!roles_) return "no group of threads waits for a barrier alone";
    if (!legal_) return "a thread keeps 24 to 256 registers, a multiple of 8";
    if (roles_ != budgets_) return "some group of threads has no budget";
    const int64_t each = std::min(kRegisters / block_, kMost - kStep) / kStep * kStep;
    if (most_ <= each) return "a thread of this block has " + std::to_string(each) + " as it is";
    if (total_ <= each * block_) return "";
    return "together that is " + plural(total_, "register") + " where the block is given " +
           std::to_string(each * block_);
  }
  const std::vector<Stmt>& calls() const { return calls_; }

 private:
  /// `count`: that of the last one.
  Stmt without_calls(const Stmt& stmt, int64_t& count) {
    return rewrite(
        stmt, [](const Expr& e) { return e; },
        [&](const Stmt& s) -> Stmt {
          const Call* call = budget_of(*s);
          if (!call) return s;
          calls_.push_back(s);
          count = *int_value(call->args[0]);
          return seq({});
        });
  }

  int64_t block_, roles_ = 0, budgets_ = 0, total_ = 0, most_ = 0;
  bool legal_ = true;
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

Stmt with_register_budgets(const Stmt& body, int64_t block, Diagnostics& diagnostics) {
  const Seq* list = as<Seq>(body);
  std::vector<Stmt> out = list ? list->stmts : std::vector<Stmt>{body};
  Budgets budgets(block);
  for (Stmt& stmt : out) stmt = budgets.taken(stmt);
  if (budgets.calls().empty()) return body;
  const std::string trouble = budgets.trouble();
  if (!trouble.empty()) {
    for (Stmt& stmt : out) stmt = without_budget(stmt);
    diagnostics.report(usage::option_no_effect, budgets.calls()[0]->span, "T.set_max_nreg")
        .note(trouble);
  }
  return seq(std::move(out));
}

}  // namespace tilelab::elaborate
