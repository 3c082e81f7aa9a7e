// SPDX-License-Identifier: Apache-2.0
// Software-pipelines the matmuls of a loop, so that threads work while they are in flight. With two
// matmuls per iteration, the second moves after the first of the next iteration, and the statements
// between them overlap with it:
//   for j in serial(n): gemm(q, k[j], s); softmax(s, p); rescale(o); gemm(p, v[j], o)
//   ->  gemm(q, k[0], s); softmax(s, p); rescale(o)
//       for j in serial(1, n): gemm(q, k[j], s, wait=1); gemm(p, v[j - 1], o, wait=1)
//                              softmax(s, p); mma_wait(0); rescale(o)
//       gemm(p, v[n - 1], o)
// Statements that change slots of the second, such as those that clear the end of a partial tile,
// move with it. With one matmul per iteration, the next iteration waits for it. With more, or where
// that is not possible, they overlap with other statements of their iteration (matmul_order.cpp). A
// matmul whose operand the threads fill overlaps with this for the next iteration
// (early_operands.cpp).
#include <algorithm>
#include <set>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/passes/schedule_pipelines/overlap_matmul.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"
#include "core/passes/schedule_pipelines/role_registers.h"
#include "core/passes/shared/ring_plan.h"
#include "core/targets/target.h"

namespace tilelab {

bool asynchronous(const Gemm& gemm) {
  const MatrixInstruction* row = find_matrix(name(gemm.by));
  return row && row->asynchronous;
}

namespace {

Stmt waiting(const Stmt& gemm, int64_t left) {
  Gemm out(to<Gemm>(gemm));
  out.wait = left;
  return make(std::move(out));
}

Stmt wait_for_all() { return do_call(Intrinsic::mma_wait, {int_const(0)}); }

/// The parts of the schedule of an iteration with two matmuls.
struct MatmulIteration {
  std::vector<Stmt> first;    // all up to the first matmul
  std::vector<Stmt> between;  // overlaps with the second matmul of the previous iteration
  std::vector<Stmt> after;    // needs its result
  std::vector<Stmt> last;     // the second matmul, and the slots that only it uses
  size_t matmul = 0;          // its index in `last`
};

class MatmulScheduler {
 public:
  MatmulScheduler(const Stmt& body, const MatmulContext& of, std::unordered_map<Symbol, int>& taken,
                  std::vector<std::string>& reasons)
      : of_(of),
        buffers_(of.memory->buffers),
        uses_(buffer_uses(*body, of.memory->views)),
        taken_(taken),
        reasons_(reasons) {
    for (const Stmt& ring : *of.rings) rings_[to<Ring>(ring).name] = &to<Ring>(ring);
    for (const Stmt& stmt : *of.stages)
      if (const Buffer* buffer = as<Buffer>(stmt)) buffers_[buffer->name] = buffer;
  }

  Stmt visit(const Stmt& stmt, RangeAnalysis facts) {
    if (!stmt) return stmt;
    if (const Seq* list = as<Seq>(stmt)) return sequence(*list, stmt->span, facts);
    if (const For* loop = as<For>(stmt)) facts.enter(*loop);
    if (const TileLoop* tiles = as<TileLoop>(stmt)) facts.enter(*tiles);
    return map_stmts(stmt, [&](const Stmt& s) { return visit(s, facts); });
  }

 private:
  Stmt sequence(const Seq& list, Span span, RangeAnalysis facts) {
    std::vector<Stmt> out;
    for (size_t i = 0; i < list.stmts.size(); ++i) {
      const Stmt& each = list.stmts[i];
      if (const Let* let = as<Let>(each)) facts.bind(*let);
      std::vector<Stmt> freed;
      for (size_t k = i + 1; k < list.stmts.size(); ++k) {
        if (!is_ring_op(list.stmts[k], RingOpKind::release)) break;
        freed.push_back(list.stmts[k]);
      }
      const For* loop = as<For>(each);
      Stmt scheduled = loop ? overlapped(*loop, each->span, facts, freed) : nullptr;
      out.push_back(scheduled ? scheduled : visit(each, facts));
      if (scheduled) i += freed.size();
    }
    return at(span, seq(std::move(out)));
  }

  /// The loop with matmuls in flight, and the slots released after it; null if it is left
  /// unchanged.
  Stmt overlapped(const For& loop, Span span, const RangeAnalysis& facts,
                  const std::vector<Stmt>& freed) {
    const Seq* list = as<Seq>(loop.body);
    if (!list || !loop.steps.empty() || (loop.step && !is_int(loop.step, 1))) return nullptr;
    std::vector<size_t> matmuls;
    for (size_t i = 0; i < list->stmts.size(); ++i) {
      const Gemm* gemm = as<Gemm>(list->stmts[i]);
      if (gemm && asynchronous(*gemm)) matmuls.push_back(i);
      if (!gemm && any_of(*list->stmts[i], asynchronous)) return nullptr;
    }
    if (matmuls.empty()) return nullptr;
    if (Stmt early = with_early_operands(loop, *list, matmuls[0], facts))
      return at(span, seq({early, seq(freed)}));
    const bool one = matmuls.size() == 1;
    MatmulIteration iteration;
    std::string refused = "an iteration has more than two";
    if (one) refused = unfit(*list, matmuls[0]);
    if (matmuls.size() == 2) refused = split_iteration(*list, matmuls[0], matmuls[1], iteration);
    Stmt out;
    std::string what;
    if (!refused.empty()) {
      out = in_iteration(loop, list->stmts);
      what = out ? "in flight until its result is needed" : "waited for immediately: " + refused;
    } else if (one) {
      out = wait_in_next_iteration(loop, *list, matmuls[0], facts);
      what = "the next iteration waits for it";
    } else {
      out = rotated(loop, iteration, facts, freed);
      what = "in flight until after the first matmul of the next iteration";
    }
    reasons_.push_back(line_of(*list->stmts[matmuls.back()]) + "T.gemm: " + what);
    if (!out) return nullptr;
    const bool releases = refused.empty() && !one;  // the rotated loop does, as early as it can
    return at(span, releases ? out : seq({out, seq(freed)}));
  }

  /// The loop with a body whose matmuls overlap with other statements; null if none can.
  Stmt in_iteration(const For& loop, const std::vector<Stmt>& body) const {
    const int64_t bytes = (of_.registers - kReservedRegisters) * 4 * of_.kernel->block;
    std::vector<Stmt> ordered = order_of_matmuls(body, buffers_, of_.memory->views, bytes);
    if (ordered.empty()) return nullptr;
    For out(loop);
    out.body = at(loop.body->span, seq(std::move(ordered)));
    return make(std::move(out));
  }

  /// The loop with the first matmul in flight while threads fill its operands for the next
  /// iteration; null if they do not fill any, or cannot then.
  Stmt with_early_operands(const For& loop, const Seq& list, size_t matmul,
                           const RangeAnalysis& facts) {
    constexpr int64_t kSlots = 2;
    Ring ring;
    ring.name = fresh_name("filled", taken_), ring.stages = kSlots, ring.fill = RingFill::sync;
    ring.producer = ring.consumer = of_.role;
    EarlyOperands early = early_operands(loop, list, matmul, ring.name, *of_.memory, uses_, taken_);
    if (early.operands.empty()) return nullptr;
    std::map<Symbol, int64_t> slots;
    for (Symbol operand : early.operands) slots[operand] = kSlots;
    if (early.refused.empty() && !of_.fits(slots))
      early.refused = "shared memory has no space for a second slot";
    const BufferTable around = buffers_;
    std::vector<Stmt> stages = *of_.stages;
    for (Stmt& stmt : stages) {
      const Buffer* buffer = as<Buffer>(stmt);
      if (!buffer || !slots.count(buffer->name) || !early.refused.empty()) continue;
      ring.bytes += allocated_bytes(*buffer);
      stmt = at(stmt->span, make(as_stages(*buffer, ring.name, kSlots)));
      buffers_[buffer->name] = &to<Buffer>(stmt);
    }
    For main(loop);
    main.lo = add(loop.lo, int_const(1, loop.lo->type.dtype));
    Stmt out = early.refused.empty() ? in_iteration(main, early.iteration) : nullptr;
    reasons_.push_back(
        line_of(*list.stmts[matmul]) + "T.gemm: " +
        (out ? "in flight while `" + early.operands[0].str() + "` is filled for the next iteration"
             : "not in flight while its operand is filled: " + early.refused));
    if (!out) return buffers_ = around, nullptr;
    *of_.stages = std::move(stages);
    of_.rings->push_back(make(std::move(ring)));
    rings_[to<Ring>(of_.rings->back()).name] = &to<Ring>(of_.rings->back());
    out = seq({seq(std::move(early.first)), out, seq(std::move(early.last))});
    const bool runs = facts.decide(lt(loop.lo, loop.hi)).value_or(false);
    return runs ? out : if_then(lt(loop.lo, loop.hi), out);
  }

  Touched touch(const Stmt& stmt) const { return touched(*stmt, of_.memory->views); }

  // ---- one matmul per iteration

  /// Not profitable with several warp groups, which overlap each other, nor if a slot is held
  /// longer, which costs a prefetch stage: it is released when the next one has arrived. With three
  /// slots one is then left for the loads that are in flight.
  std::string unfit(const Seq& list, size_t matmul) const {
    if (of_.groups > 1) return "several warp groups already overlap";
    for (size_t i = 0; i < list.stmts.size(); ++i) {
      const RingOp* op = as<RingOp>(list.stmts[i]);
      const bool expected = op && op->op == (i < matmul ? RingOpKind::wait : RingOpKind::release);
      if (i != matmul && !expected) return "the iteration does more than this matmul";
      if (op && rings_.at(op->ring)->stages < 4) return "its ring has too few slots";
    }
    const Gemm& gemm = to<Gemm>(list.stmts[matmul]);
    const Buffer* a = of_.memory->buffer(to<Region>(gemm.a));
    return a && a->scope == Scope::fragment ? "A is in registers" : "";
  }

  Stmt wait_in_next_iteration(const For& loop, const Seq& list, size_t matmul,
                              const RangeAnalysis& facts) const {
    std::vector<Stmt> iteration(list.stmts.begin(), list.stmts.begin() + int64_t(matmul));
    iteration.push_back(waiting(list.stmts[matmul], 1));
    const Stmt freed = seq({list.stmts.begin() + int64_t(matmul) + 1, list.stmts.end()});
    iteration.push_back(if_then(lt(loop.lo, name_ref(loop.var, loop.lo->type)), freed));
    For out(loop);
    out.body = at(loop.body->span, seq(std::move(iteration)));
    const bool runs = facts.decide(lt(loop.lo, loop.hi)).value_or(false);
    return seq({make(std::move(out)), wait_for_all(),
                runs ? freed : if_then(lt(loop.lo, loop.hi), freed)});
  }

  // ---- two matmuls per iteration

  /// Sorts the statements of an iteration into its parts; or returns the reason why it cannot.
  std::string split_iteration(const Seq& list, size_t one, size_t two, MatmulIteration& out) const {
    const std::vector<Stmt>& all = list.stmts;
    size_t begin = two, end = two + 1;
    const auto moves = [&](const Stmt& stmt) {
      return is_ring_op(stmt, RingOpKind::wait) || as<Let>(stmt) || only_changes_slots(stmt);
    };
    while (begin > one + 1 && moves(all[begin - 1])) --begin;
    while (end < all.size() && is_ring_op(all[end], RingOpKind::release)) ++end;
    if (end != all.size()) return "the iteration has statements after it";
    out.first = {all.begin(), all.begin() + int64_t(one) + 1};
    out.last = {all.begin() + int64_t(begin), all.end()};
    out.matmul = two - begin;
    Touched second;
    for (size_t i = begin; i <= two; ++i) {
      const Touched mine = touch(all[i]);
      second.read.insert(mine.read.begin(), mine.read.end());
      second.written.insert(mine.written.begin(), mine.written.end());
    }
    for (size_t i = 0; i < begin; ++i) {
      if (as<Buffer>(all[i]) || as<View>(all[i]) || as<Var>(all[i]))
        return "the iteration has its own buffers";
      const Symbol name = bound_by(*all[i]);
      if (name && std::any_of(out.last.begin(), out.last.end(),
                              [&](const Stmt& stmt) { return mentions(*stmt, name); }))
        return "`" + name.str() + "` of this iteration is needed";
      if (i <= one && conflict(touch(all[i]), second))
        return "the first matmul of the next iteration needs it";
    }
    for (size_t i = end; i-- > two + 1;)
      if (!waits_for(out.last, to<RingOp>(all[i]).ring)) return "both matmuls read one slot";
    Touched held = second;
    for (size_t i = one + 1; i < begin; ++i) {
      const Touched mine = touch(all[i]);
      const bool later = conflict(mine, held);
      if (later && bound_by(*all[i])) return "`" + bound_by(*all[i]).str() + "` waits for it";
      (later ? out.after : out.between).push_back(all[i]);
      if (!later) continue;
      held.read.insert(mine.read.begin(), mine.read.end());
      held.written.insert(mine.written.begin(), mine.written.end());
    }
    if (std::all_of(out.between.begin(), out.between.end(),
                    [](const Stmt& s) { return as<RingOp>(s); }))
      return "the whole iteration needs it";
    return lacks_registers(all[one], all[two]);
  }

  /// Whether the statement changes elements of slots, such as those of a partial tile, and has no
  /// other effect.
  bool only_changes_slots(const Stmt& stmt) const {
    const Touched memory = touch(stmt);
    const auto of_slot = [&](Symbol name) {
      auto it = buffers_.find(name);
      return it != buffers_.end() && it->second->ring;
    };
    return !memory.written.empty() && is_movable(stmt) &&
           std::all_of(memory.read.begin(), memory.read.end(), of_slot) &&
           std::all_of(memory.written.begin(), memory.written.end(), of_slot);
  }

  static bool waits_for(const std::vector<Stmt>& list, Symbol ring) {
    return std::any_of(list.begin(), list.end(), [&](const Stmt& s) {
      return is_ring_op(s, RingOpKind::wait) && to<RingOp>(s).ring == ring;
    });
  }

  /// The fragments of both matmuls are then live at the same time.
  std::string lacks_registers(const Stmt& one, const Stmt& two) const {
    std::set<Symbol> names;
    for (const Stmt& matmul : {one, two}) {
      const Touched memory = touch(matmul);
      names.insert(memory.read.begin(), memory.read.end());
      names.insert(memory.written.begin(), memory.written.end());
    }
    int64_t sum = kReservedRegisters;
    for (Symbol name : names)
      if (auto it = buffers_.find(name);
          it != buffers_.end() && it->second->scope == Scope::fragment) {
        int64_t count = 1;
        for (int64_t extent : const_shape(*it->second)) count *= extent;
        sum += count * bytes(it->second->dtype) / 4 / of_.kernel->block;
      }
    if (sum <= of_.registers) return "";
    return "about " + std::to_string(sum) + " registers would be needed, but a thread has " +
           std::to_string(of_.registers);
  }

  Stmt rotated(const For& loop, const MatmulIteration& iteration, const RangeAnalysis& facts,
               const std::vector<Stmt>& freed) {
    const DType dtype = loop.lo->type.dtype;
    const Expr j = name_ref(loop.var, {dtype}), one = int_const(1, dtype);
    const bool runs = facts.decide(lt(loop.lo, loop.hi)).value_or(false);
    // The last iteration's first matmul may release a slot if it is the last use.
    std::vector<Stmt> early, late;
    for (const Stmt& op : freed)
      (runs && only_first_reads(iteration, to<RingOp>(op).ring) ? early : late).push_back(op);
    auto ends = [&](const Expr& now) -> Stmt {
      const Expr last = eq(now, sub(loop.hi, one));
      return early.empty() || facts.decide(last) == false ? nullptr : if_then(last, seq(early));
    };
    std::vector<Stmt> begin = iteration.first, body = iteration.first, end;
    begin.back() = waiting(begin.back(), 0);
    begin.push_back(ends(loop.lo));
    begin.insert(begin.end(), iteration.between.begin(), iteration.between.end());
    begin.insert(begin.end(), iteration.after.begin(), iteration.after.end());
    body.back() = waiting(body.back(), 1);
    for (size_t i = 0; i <= iteration.matmul; ++i)
      body.push_back(at_iteration(iteration.last[i], loop.var, sub(j, one)));
    body.back() = waiting(body.back(), 1);
    body.push_back(ends(j));
    body.insert(body.end(), iteration.between.begin(), iteration.between.end());
    body.push_back(wait_for_all());
    for (size_t i = iteration.matmul + 1; i < iteration.last.size(); ++i)
      body.push_back(iteration.last[i]);
    body.insert(body.end(), iteration.after.begin(), iteration.after.end());
    for (const Stmt& each : iteration.last)
      end.push_back(at_iteration(each, loop.var, sub(loop.hi, one)));
    end[iteration.matmul] = waiting(end[iteration.matmul], 0);
    For main(loop);
    main.lo = add(loop.lo, one), main.body = at(loop.body->span, seq(std::move(body)));
    Stmt all = seq({with_fresh_names(at_iteration(seq(std::move(begin)), loop.var, loop.lo)),
                    make(std::move(main)), with_fresh_names(seq(std::move(end)))});
    if (!runs) all = if_then(lt(loop.lo, loop.hi), all);
    late.insert(late.begin(), all);
    return seq(std::move(late));
  }

  static Stmt at_iteration(const Stmt& stmt, Symbol var, const Expr& iteration) {
    return substitute(stmt, {{var, iteration}});
  }

  /// Whether only the first matmul of the iteration uses the ring's slots.
  bool only_first_reads(const MatmulIteration& iteration, Symbol ring) const {
    for (const auto* part : {&iteration.between, &iteration.after, &iteration.last})
      for (const Stmt& stmt : *part) {
        const Touched memory = touch(stmt);
        for (const auto* names : {&memory.read, &memory.written})
          for (Symbol name : *names)
            if (auto it = buffers_.find(name); it != buffers_.end() && it->second->ring == ring)
              return false;
      }
    return true;
  }

  /// A second copy of statements, with fresh names for those it binds.
  Stmt with_fresh_names(const Stmt& list) {
    std::unordered_map<Symbol, Symbol> names;
    for (const Stmt& each : statements_of(list))
      if (const Symbol name = bound_by(*each)) names[name] = fresh_name(name, taken_);
    return with_fresh_buffers(rename(list, names), taken_);
  }

  const MatmulContext& of_;
  BufferTable buffers_;
  const std::unordered_map<Symbol, int> uses_;
  std::unordered_map<Symbol, const Ring*> rings_;
  std::unordered_map<Symbol, int>& taken_;
  std::vector<std::string>& reasons_;
};

}  // namespace

Stmt with_matmuls_in_flight(const Stmt& body, const MatmulContext& of, RangeAnalysis facts,
                            std::unordered_map<Symbol, int>& taken,
                            std::vector<std::string>& reasons) {
  return MatmulScheduler(body, of, taken, reasons).visit(body, std::move(facts));
}

}  // namespace tilelab
