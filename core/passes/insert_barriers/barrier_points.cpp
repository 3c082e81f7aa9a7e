// SPDX-License-Identifier: Apache-2.0
#include "core/passes/insert_barriers/barrier_points.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/ir/traverse.h"

namespace tilelab {

bool is_barrier(const Stmt& stmt) {
  const Call* c = called(stmt);
  if (!c || info(c->intrinsic).step != Step::sync) return false;
  const CollectiveScope scope = info(c->intrinsic).scope;
  return scope == CollectiveScope::block || scope == CollectiveScope::role;
}

bool is_group_barrier(const Stmt& stmt) {
  const Call* c = called(stmt);
  return c && c->intrinsic == Intrinsic::group_sync;
}

bool is_range_barrier(const Stmt& stmt, const ThreadRange& threads) {
  const Call* c = called(stmt);
  return c && c->intrinsic == Intrinsic::range_sync && is_int(c->args[0], threads.lo) &&
         is_int(c->args[1], threads.hi);
}

bool is_named_sync(const Stmt& stmt) {
  const Call* c = called(stmt);
  return c && c->intrinsic == Intrinsic::named_sync;
}

Stmt barrier_of_all(Intrinsic scope, bool all) {
  std::vector<Attr> attrs;
  if (all) attrs.push_back(attr("mem", "all"));
  return do_call(scope, {}, attrs);
}

Stmt barrier_of(const ThreadRange& threads, int64_t group) {
  return group > 0 ? do_call(Intrinsic::group_sync, {int_const(threads.lo / group)})
                   : do_call(Intrinsic::range_sync, {int_const(threads.lo), int_const(threads.hi)});
}

Stmt statement_after(const Seq& list, size_t at) {
  const auto is_wait = [](const Stmt& stmt) {
    const RingOp* op = as<RingOp>(stmt);
    return op && op->op == RingOpKind::wait;
  };
  const auto next =
      std::find_if_not(list.stmts.begin() + int64_t(at) + 1, list.stmts.end(), is_wait);
  return next == list.stmts.end() ? nullptr : *next;
}

bool surely_runs(const Stmt& stmt) {
  const For* loop = as<For>(stmt);
  if (!loop || !loop->steps.empty()) return loop != nullptr;
  auto lo = int_value(loop->lo), hi = int_value(loop->hi), step = int_value(loop->step);
  return lo && hi && step && (*step > 0 ? *lo < *hi : *lo > *hi);
}

/// A call that does not synchronize: of a foreign function, or of a warp's matrix instruction.
static bool is_operation(const Call& call) {
  return info(call.intrinsic).step == Step::foreign || expands_to_shuffles(call.intrinsic);
}

/// Whether a loop inside of a plain loop leaves it plain: of vectors, or of explicit matrix
/// instructions.
static bool is_plain_inside(const For& loop) {
  return loop.mode == LoopMode::vec ||
         (loop.mode == LoopMode::unroll &&
          any_of(*loop.body, [](const Call& call) { return expands_to_shuffles(call.intrinsic); }));
}

bool is_plain_loop(const Stmt& stmt) {
  const For* loop = as<For>(stmt);
  if (!loop) return false;
  bool plain = true;
  walk(*loop->body, [&](const Node& node) {
    switch (node.kind) {
      case Kind::For: plain = plain && is_plain_inside(*as<For>(&node)); break;
      case Kind::Do: {
        const Call* call = as<Call>(as<Do>(&node)->call);
        plain = plain && call && is_operation(*call);
        break;
      }
      case Kind::While:
      case Kind::TileLoop:
      case Kind::RingOp:
      case Kind::Role:
      case Kind::Break: plain = false; break;
      default: break;
    }
    return plain && node.kind != Kind::Parallel;
  });
  return plain;
}

}  // namespace tilelab
