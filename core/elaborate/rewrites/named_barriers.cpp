// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/named_barriers.h"

#include <algorithm>
#include <map>

#include "core/elaborate/rewrites/roles.h"
#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {
namespace {

constexpr int64_t kBarrierIds = 16;  // per block; 0 is reserved for the whole block

/// Visits statements with the range of threads that reach each of them.
class ThreadRangeVisitor {
 public:
  explicit ThreadRangeVisitor(int64_t block) : block_(block), here_{0, block} {}
  virtual ~ThreadRangeVisitor() = default;

  Stmt visit(const Stmt& stmt) {
    if (!stmt) return stmt;
    if (const Do* d = as<Do>(stmt))
      if (const Call* call = as<Call>(d->call))
        if (find_attr(call->attrs, kBarrierThreads) ||
            (role_ > 0 && call->intrinsic == Intrinsic::block_sync))
          return at(stmt->span, visit_barrier(stmt, *call));
    if (const Let* let = as<Let>(stmt)) lets_[let->name] = let->value;  // names may be reused
    const ThreadRange outer = here_;
    const int64_t outer_role = role_;
    if (const If* branch = as<If>(stmt)) return at(stmt->span, branches(*branch));
    if (const Role* role = as<Role>(stmt)) role_ = role->hi - role->lo, here_ = {0, role_};
    Stmt out = map_stmts(stmt, [&](const Stmt& s) { return visit(s); });
    here_ = outer, role_ = outer_role;
    return at(stmt->span, out);
  }

 protected:
  /// Called for a barrier with a thread count, and for one of all threads in a role.
  virtual Stmt visit_barrier(const Stmt& stmt, const Call& call) = 0;

  const int64_t block_;
  ThreadRange here_;
  int64_t role_ = 0;  // threads of the enclosing role; 0: none
  bool known_ = true;
  Substitution lets_;

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
};

int64_t count_of(const Call& call, int64_t otherwise = 0) {
  const Attr* count = find_attr(call.attrs, kBarrierThreads);
  return count ? count->integer : otherwise;
}

/// Collects the threads that reach each barrier ID.
class BarrierCollector : public ThreadRangeVisitor {
 public:
  BarrierCollector(int64_t block, Diagnostics& diagnostics)
      : ThreadRangeVisitor(block), diagnostics_(diagnostics) {}

  NamedBarriers found() {
    NamedBarriers out;
    const auto of_the_run = barriers_.find(kUnknown);
    out.unknown = of_the_run != barriers_.end() && has_other_threads(of_the_run->second);
    if (out.unknown) {
      Sites all;
      for (auto& [number, sites] : barriers_) all.insert(all.end(), sites.begin(), sites.end());
      counts(kUnknown, all, true);
      return out;
    }
    for (auto& [number, sites] : barriers_) {
      if (number == kUnknown) continue;  // all threads of an unknown ID reach each of its uses
      const bool others = has_other_threads(sites);
      if (others) out.numbers.insert(number);
      check(number, sites, others);
    }
    return out;
  }

 protected:
  Stmt visit_barrier(const Stmt& stmt, const Call& call) override {
    if (!is_named_barrier(call.intrinsic)) return stmt;
    Call out(call);
    out.args[0] = substitute(call.args[0], lets_);
    const auto number = int_value(out.args[0]);
    const Site site{stmt->span, here_, known_, call.intrinsic == Intrinsic::named_arrive,
                    count_of(call)};
    barriers_[number.value_or(kUnknown)].push_back(site);
    if (!known_)
      diagnostics_
          .report(Diag::statement_unsupported, stmt->span,
                  "a barrier of " + std::to_string(site.count) +
                      " threads where the condition around it does not determine which threads "
                      "reach it")
          .help("let whole warps reach it: `if tx < 128:`, or `with T.ws(0):`");
    return make(Do{{}, make(std::move(out))});
  }

 private:
  struct Site {
    Span span;
    ThreadRange threads;
    bool known = true, arrives = false;
    int64_t count = 0;
  };
  using Sites = std::vector<Site>;
  static constexpr int64_t kUnknown = INT64_MIN;

  static bool has_other_threads(const Sites& sites) {
    return std::any_of(sites.begin(), sites.end(), [](const Site& s) {
      return s.arrives || !s.known || s.threads.count() != s.count;
    });
  }

  bool report(int64_t number, const Site& site, const std::string& what, const char* help) {
    const std::string of =
        number == kUnknown ? "this barrier" : "barrier " + std::to_string(number);
    diagnostics_.report(Diag::named_barrier, site.span, of, what).help(help);
    return false;
  }

  void check(int64_t number, const Sites& sites, bool others) {
    const Site& first = sites.front();
    const bool whole = number == 0 && !others && first.count == block_;
    if ((number < 1 || number >= kBarrierIds) && !whole) {
      report(number, first,
             number == 0 ? "belongs to the whole block, and all its threads reach it"
                         : "does not exist: a block has barriers 1 to 15",
             "use another number, or T.sync_threads() for the whole block");
      return;
    }
    if (!counts(number, sites, others)) return;
    int64_t come = 0;
    for (int64_t t = 0; t < block_; t += kWarp)
      come += std::any_of(sites.begin(), sites.end(), [&](const Site& s) {
        return !s.known || (s.threads.lo <= t && t < s.threads.hi);
      });
    if (come * kWarp < first.count)
      report(number, first,
             "is for " + plural(first.count, "thread") + ", of which " +
                 std::to_string(come * kWarp) + " reach it in the whole kernel",
             "count the threads that arrive and those that wait, or let others arrive with "
             "T.named_barrier_arrive");
  }

  /// Whether the counts are whole warps, at least the threads that arrive, and equal at all uses.
  bool counts(int64_t number, const Sites& sites, bool others) {
    const Site& first = sites.front();
    for (const Site& site : sites) {
      const std::string of = "is for " + plural(site.count, "thread");
      const ThreadRange& who = site.threads;
      if (site.count < 1 || site.count % kWarp)
        return report(number, site, of + ", which is not a multiple of the warp size",
                      "use a multiple of 32: the threads of a warp arrive together");
      if (who.lo % kWarp || who.hi % kWarp)
        return report(number, site,
                      "needs whole warps, but threads " + std::to_string(who.lo) + " to " +
                          std::to_string(who.hi - 1) + " reach it",
                      "let all threads of a warp reach it");
      if (others && site.count != first.count)
        return report(
            number, site,
            of + " here and for " + std::to_string(first.count) + " in line " +
                std::to_string(first.span.line),
            "a phase ends when this number of threads has arrived: use the same number at all "
            "places");
      if (site.known && who.count() > site.count)
        return report(number, site,
                      of + ", but " + std::to_string(who.count()) + " of " +
                          std::to_string(block_) + " reach it",
                      "count the threads that arrive and those that wait; use T.sync_threads() for "
                      "the whole block");
    }
    return true;
  }

  Diagnostics& diagnostics_;
  std::map<int64_t, Sites> barriers_;
};

class BarrierResolver : public ThreadRangeVisitor {
 public:
  BarrierResolver(int64_t block, const NamedBarriers& named, Diagnostics& diagnostics)
      : ThreadRangeVisitor(block), named_(named), diagnostics_(diagnostics) {}

 protected:
  /// The threads that reach this statement are those that synchronize.
  Stmt visit_barrier(const Stmt& stmt, const Call& call) override {
    const bool by_number = is_named_barrier(call.intrinsic);
    if (by_number ? named_.has(call) : call.intrinsic != Intrinsic::block_sync) return stmt;
    const std::vector<Attr> all{attr("mem", "all")};
    const int64_t count = count_of(call, role_);
    if (known_ && here_.count() == count) {
      if (count == block_ && role_ == 0) return do_call(Intrinsic::block_sync, {}, all);
      if (count == role_) return do_call(Intrinsic::role_sync, {}, all);
      if (count == kGroup && here_.lo % kGroup == 0)
        return do_call(Intrinsic::group_sync, {int_const(here_.lo / kGroup)}, all);
    }
    if (by_number) {
      if (is_int(call.args[0], 0))
        diagnostics_
            .report(Diag::named_barrier, stmt->span, "barrier 0",
                    "belongs to the whole block, whose roles have diverged")
            .help("use another number");
      return stmt;
    }
    if (stmt->span == reported_) return stmt;  // an operation that consists of several barriers
    reported_ = stmt->span;
    diagnostics_
        .report(Diag::statement_unsupported, stmt->span,
                "a barrier of " + std::to_string(count) + " threads where " +
                    (known_ ? plural(here_.count(), "thread") + " of " + std::to_string(block_) +
                                  " reach it"
                            : "the condition around it does not determine which threads reach it"))
        .help(count == block_ || count == role_
                  ? "move it out of the condition, so that all threads reach it"
                  : "use T.sync_threads() for the whole block, T.sync_threads(id, 128) for one "
                    "group of T.ws, or T.sync_threads(1, count) for other threads");
    return stmt;
  }

 private:
  const NamedBarriers& named_;
  Diagnostics& diagnostics_;
  Span reported_;
};

}  // namespace

bool NamedBarriers::has(const Call& call) const {
  if (!is_named_barrier(call.intrinsic)) return false;
  const auto number = int_value(call.args.at(0));
  return unknown || (number && numbers.count(*number) > 0);
}

NamedBarriers named_barriers(Kernel& kernel, Diagnostics& diagnostics) {
  BarrierCollector collector(kernel.block, diagnostics);
  kernel.body = collector.visit(kernel.body);
  return collector.found();
}

Stmt resolve_thread_barriers(const Stmt& body, int64_t block, const NamedBarriers& named,
                             Diagnostics& diagnostics) {
  return BarrierResolver(block, named, diagnostics).visit(body);
}

}  // namespace tilelab::elaborate
