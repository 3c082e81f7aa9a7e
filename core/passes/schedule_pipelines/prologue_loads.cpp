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

void load_in_first_iteration(std::vector<Stmt>& list, const RangeAnalysis& facts) {
  const For* loop = list.size() < 2 ? nullptr : as<For>(list.back());
  const Seq* iteration = loop ? as<Seq>(loop->body) : nullptr;
  if (!iteration || !is_ring_op(list[list.size() - 2], RingOpKind::commit)) return;
  if (facts.decide(lt(loop->lo, loop->hi)) != true) return;
  size_t first = list.size() - 2, position = 0;
  while (first > 0 && !is_ring_op(list[first], RingOpKind::acquire)) --first;
  while (position < iteration->stmts.size() &&
         !is_ring_op(iteration->stmts[position], RingOpKind::commit))
    ++position;
  if (position++ == iteration->stmts.size()) return;
  const Stmt before = seq({list.begin() + int64_t(first), list.end() - 1});
  std::vector<Stmt> stmts = iteration->stmts;
  const Expr begins = eq(name_ref(loop->var, loop->lo->type), loop->lo);
  stmts.insert(stmts.begin() + int64_t(position), if_then(begins, before));
  For out(*loop);
  out.body = at(loop->body->span, seq(std::move(stmts)));
  const Stmt all = at(list.back()->span, make(std::move(out)));
  list.resize(first);
  list.push_back(all);
}

}  // namespace tilelab
