// SPDX-License-Identifier: Apache-2.0
// Explicit barriers of a kernel count arrivals of threads. On targets that count warps, a whole
// warp counts as one arrival, and so does a single thread.
//   full = barrier([2], count=128, unit="lane")   ->   full = barrier([2], count=4, unit="warp")
#include "core/ir/thread_range.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// Counts the arrivals at one array of barriers.
class Arrivals {
 public:
  Arrivals(Symbol barriers, int64_t lanes) : barriers_(barriers), lanes_(lanes) {}

  void visit(const Stmt& stmt, const ThreadRange& here) {
    if (!stmt) return;
    if (const Role* role = as<Role>(stmt)) return visit(role->body, {0, role->hi - role->lo});
    if (const If* branch = as<If>(stmt)) {
      for (bool is_else : {false, true})
        visit(is_else ? branch->else_ : branch->then_,
              threads_of(*branch, is_else, here).value_or(here));
      return;
    }
    const Call* call = called(stmt);
    const bool arrives = call && info(call->intrinsic).step == Step::arrive;
    if (const Region* at = arrives ? as<Region>(call->args[0]) : nullptr;
        at && at->buffer == barriers_)
      add(here);
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s, here); });
  }

  /// The number of warp arrivals that corresponds to `threads`; 0 if unknown.
  int64_t in_warps(int64_t threads) const {
    if (sites_ == 0 || (whole_ == sites_ && threads % lanes_ == 0)) return threads / lanes_;
    if (all_threads_ == threads) return all_warps_;
    return single_ == sites_ ? threads : 0;
  }

 private:
  void add(const ThreadRange& range) {
    ++sites_;
    const bool whole = range.lo % lanes_ == 0 && range.hi % lanes_ == 0;
    whole_ += whole, single_ += range.count() == 1;
    all_threads_ += range.count();
    all_warps_ += (range.hi + lanes_ - 1) / lanes_ - range.lo / lanes_;
  }

  Symbol barriers_;
  int64_t lanes_;
  int64_t sites_ = 0, whole_ = 0, single_ = 0, all_threads_ = 0, all_warps_ = 0;
};

}  // namespace

Stmt lower_barriers(const Buffer& barriers, Lowering& lowering) {
  if (barriers.unit != Unit::lane || lowering.target().barriers.unit == Unit::lane)
    return Stmt(&barriers);
  Arrivals arrivals(barriers.name, lowering.lanes());
  arrivals.visit(lowering.kernel().body, {0, lowering.block()});
  Buffer out(barriers);
  out.unit = Unit::warp;
  out.count = arrivals.in_warps(barriers.count);
  if (out.count > 0) return make(std::move(out));
  lowering.diagnostics()
      .report(Diag::target_lacks, barriers.span, barriers.name.str(), lowering.target().name,
              "it counts arrivals of warps, but a phase of " + std::to_string(barriers.count) +
                  " threads is not a multiple of those that arrive")
      .help("let whole warps arrive, each thread once in a phase, or only one thread");
  return nullptr;
}

}  // namespace tilelab
