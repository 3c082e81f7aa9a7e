// SPDX-License-Identifier: Apache-2.0
// The order in which a persistent producer fills its rings. Slots loaded before a loop are released
// after the last iteration of the previous tile, slots of the loop's first iteration earlier. So
// the former are filled after the first ring of the first iteration.
//   acquire(q); copy(...); commit(q)
//   for j in serial(n): acquire(k); copy(...); commit(k); ...
//   ->  for j in serial(n): acquire(k); copy(...); commit(k)
//                           if j == 0: acquire(q); copy(...); commit(q)
//                           ...
#include "core/ir/build.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"

namespace tilelab {

void load_in_first_turn(std::vector<Stmt>& list, const RangeAnalysis& facts) {
  const For* loop = list.size() < 2 ? nullptr : as<For>(list.back());
  const Seq* turn = loop ? as<Seq>(loop->body) : nullptr;
  if (!turn || !is_ring_op(list[list.size() - 2], RingOpKind::commit)) return;
  if (facts.decide(lt(loop->lo, loop->hi)) != true) return;
  size_t first = list.size() - 2, behind = 0;
  while (first > 0 && !is_ring_op(list[first], RingOpKind::acquire)) --first;
  while (behind < turn->stmts.size() && !is_ring_op(turn->stmts[behind], RingOpKind::commit))
    ++behind;
  if (behind++ == turn->stmts.size()) return;
  const Stmt before = seq({list.begin() + int64_t(first), list.end() - 1});
  std::vector<Stmt> stmts = turn->stmts;
  const Expr begins = eq(name_ref(loop->var, loop->lo->type), loop->lo);
  stmts.insert(stmts.begin() + int64_t(behind), if_then(begins, before));
  For out(*loop);
  out.body = at(loop->body->span, seq(std::move(stmts)));
  const Stmt all = at(list.back()->span, make(std::move(out)));
  list.resize(first);
  list.push_back(all);
}

}  // namespace tilelab
