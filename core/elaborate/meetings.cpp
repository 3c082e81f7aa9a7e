// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/meetings.h"

#include "core/elaborate/roles.h"
#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {
namespace {

class Meetings {
 public:
  Meetings(int64_t block, Diagnostics& diagnostics)
      : block_(block), here_{0, block}, diagnostics_(diagnostics) {}

  Stmt visit(const Stmt& stmt) {
    if (!stmt) return stmt;
    if (const Do* d = as<Do>(stmt))
      if (const Call* call = as<Call>(d->call))
        if (const Attr* count = find_attr(call->attrs, kMeetingOf);
            count && call->intrinsic == Intrinsic::block_sync)
          return at(stmt->span, meeting(stmt, count->integer));
    if (const Let* let = as<Let>(stmt)) lets_.emplace(let->name, let->value);
    const ThreadRange outer = here_;
    const int64_t outer_role = role_;
    if (const If* branch = as<If>(stmt)) return at(stmt->span, branches(*branch));
    if (const Role* role = as<Role>(stmt)) role_ = role->hi - role->lo, here_ = {0, role_};
    Stmt out = map_children(
        stmt, [](const Expr& e) { return e; }, [&](const Stmt& s) { return visit(s); });
    here_ = outer, role_ = outer_role;
    return at(stmt->span, out);
  }

 private:
  Stmt branches(const If& branch) {
    const ThreadRange outer = here_;
    const bool was_known = known_;
    If out(branch);
    for (bool other : {false, true}) {
      Stmt& part = other ? out.else_ : out.then_;
      const Expr condition = other ? unary(UnOp::lnot, branch.cond) : branch.cond;
      if (mentions_threads(branch.cond)) {
        const auto range = threads_where(condition, outer, lets_, kWarp);
        known_ = was_known && range.has_value();
        if (range) here_ = *range;
      }
      part = visit(part);
      here_ = outer, known_ = was_known;
    }
    return make(std::move(out));
  }

  bool mentions_threads(const Expr& condition) const {
    const Expr whole = substitute(condition, lets_);
    return mentions(whole, "tid") || mentions(whole, "warp") || mentions(whole, "lane");
  }

  /// Those who come here are the ones that meet.
  Stmt meeting(const Stmt& stmt, int64_t count) {
    const std::vector<Attr> all{attr("mem", "all")};
    if (known_ && here_.count() == count) {
      if (count == block_ && role_ == 0) return do_call(Intrinsic::block_sync, {}, all);
      if (count == role_) return do_call(Intrinsic::role_sync, {}, all);
      if (count == kGroup && here_.lo % kGroup == 0)
        return do_call(Intrinsic::group_sync, {int_const(here_.lo / kGroup)}, all);
    }
    diagnostics_
        .report(Diag::statement_unsupported, stmt->span,
                "a meeting of " + std::to_string(count) + " threads where " +
                    (known_ ? plural(here_.count(), "thread") + " of " + std::to_string(block_) +
                                  " come"
                            : "the condition around does not say which threads come"))
        .help(
            "T.sync_threads() is for the whole block, T.sync_threads(id, 128) for all of one "
            "group of T.ws; others wait for a barrier of T.alloc_barrier(count)");
    return stmt;
  }

  const int64_t block_;
  ThreadRange here_;
  int64_t role_ = 0;  // threads of the role around; 0: there is none
  bool known_ = true;
  Substitution lets_;
  Diagnostics& diagnostics_;
};

}  // namespace

Stmt resolve_meetings(const Stmt& body, int64_t block, Diagnostics& diagnostics) {
  return Meetings(block, diagnostics).visit(body);
}

}  // namespace tilelab::elaborate
