// SPDX-License-Identifier: Apache-2.0
// Multibuffering of loops whose threads prefetch for later iterations: a ring whose slots complete
// in groups, filled stages - 1 iterations before their use.
//   for k in pipelined(n, stages=3): copy(A[k, ...], A_s); gemm(A_s, ...)
//   ->  for p in unroll(2): w = ring_acquire(r); if p < n: copy(A[p, ...], A_s[w]); ring_commit(r)
//       for k in serial(n): s = ring_wait(r); w = ring_acquire(r)
//         if k + 2 < n: copy(A[k + 2, ...], A_s[w])
//         ring_commit(r); gemm(A_s[s], ...); ring_release(r)
// Where the matmul is asynchronous, the copies are issued while it is in flight:
//         gemm(A_s[s], ..., wait=1); w = ring_acquire(r) ... ring_commit(r); mma_wait(0)
// If the iteration does no more, the next one waits for it, at the cost of a barrier before slots
// are filled again:
//         gemm(A_s[s], ..., wait=1); if k > 0: ring_release(r)
//         w = ring_acquire(r) ... ring_commit(r)
// Where an iteration begins with all reads of its slot, into registers, the slot is filled again
// after them, for the iteration `stages` later, so that all slots are in flight during the rest:
//         s = ring_wait(r); copy(A_s[s], A_f); ring_release(r)
//         w = ring_acquire(r) ... ring_commit(r); <uses of A_f>
// Of two stages, the other one is filled before the wait, at the cost of a barrier: its copies are
// in flight during the wait as well.
// If each thread would issue many copies, one thread issues them to the copy engine instead, and
// the ring counts bytes. Such a slot is acquired only for an iteration that exists:
//         if k + 2 < n: w = ring_acquire(r); copy(A[k + 2, ...], A_s[w], by="engine"); ...
#include <algorithm>
#include <set>

#include "core/ir/build.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

class GroupScheduler {
 public:
  GroupScheduler(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                 const Target& target)
      : kernel_(kernel),
        plan_(plan),
        target_(target),
        memory_of_(func, kernel),
        taken_(names_in(func)) {}

  Scheduled run() {
    Scheduled out;
    if (!target_.async_copy) out.refused = "the target has no asynchronous copies";
    if (!plan_.explicit_sync.empty()) out.refused = plan_.explicit_sync;
    if (!out.refused.empty()) return out;
    for (const PrefetchList& list : plan_.lists)
      if (list.loop && list.loop->stages > 1 && by_one(*list.loop) && has_asynchronous(list))
        loops_.push_back({&list, list.loop->stages, bytes_of(list), by_engine(list)});
    if (loops_.empty()) {
      out.refused = "no loop of two stages has an asynchronous copy to prefetch";
      return out;
    }
    if (!shorten()) {
      out.refused = "shared memory has no space for a second stage";
      return out;
    }
    for (const PrefetchLoop& loop : loops_) {
      prefetch_loops_[loop.list->loop] = &loop;
      for (const PrefetchedCopy& copy : loop.list->copies)
        for (Symbol name : copy.names()) in_ring_.insert(name);
    }
    Stmt body = visit(kernel_.body);
    out.body = at(kernel_.body->span, seq({seq(rings_), seq(memory_), body}));
    out.block = kernel_.block;
    const int64_t rings = int64_t(rings_.size());
    const int64_t engines = std::count_if(loops_.begin(), loops_.end(),
                                          [](const PrefetchLoop& loop) { return loop.engine; });
    out.summary = "copies are prefetched in " + plural(rings, "ring") +
                  (engines == 0       ? " of groups"
                   : engines == rings ? " by the copy engine"
                                      : ", " + std::to_string(engines) + " by the copy engine");
    out.reasons = reasons_;
    return out;
  }

 private:
  static bool has_asynchronous(const PrefetchList& list) {
    for (const PrefetchedCopy& copy : list.copies)
      if (copy.gather || copy.by(CopyBy::async) || copy.by(CopyBy::engine)) return true;
    return false;
  }

  /// Whether the copy engine fills the slots of the list: it can make all copies, and each thread
  /// would issue at least kManyCopies of them.
  bool by_engine(const PrefetchList& list) const {
    constexpr int64_t kManyCopies = 8, kCopyBytes = 16;
    if (target_.barriers.kind == Barriers::Kind::none || list.branch) return false;
    int64_t bytes = 0;
    for (const PrefetchedCopy& copy : list.copies) {
      if (!copy.by(CopyBy::engine)) return false;
      bytes += copy.bytes();
    }
    return kernel_.block % target_.lanes == 0 && bytes >= kManyCopies * kCopyBytes * kernel_.block;
  }

  static bool by_one(const For& loop) {
    return loop.steps.empty() && (!loop.step || is_int(loop.step, 1));
  }

  /// A loop with prefetched copies.
  struct PrefetchLoop {
    const PrefetchList* list;
    int64_t stages;
    int64_t bytes;  // of a stage
    bool engine;    // one thread fills the slots by the copy engine
  };
  static int64_t bytes_of(const PrefetchList& list) {
    int64_t sum = 0;
    for (const PrefetchedCopy& copy : list.copies) sum += allocated_bytes(*copy.buffer);
    return sum;
  }

  /// Removes stages, from the loops with the most and then the largest, until all rings fit;
  /// returns false if none do.
  bool shorten() {
    for (;;) {
      std::map<Symbol, int64_t> slots;
      for (const PrefetchLoop& loop : loops_)
        for (const PrefetchedCopy& copy : loop.list->copies) slots[copy.buffer->name] = loop.stages;
      if (stages_fit(kernel_, target_, slots)) return true;
      auto most = std::max_element(
          loops_.begin(), loops_.end(), [](const PrefetchLoop& a, const PrefetchLoop& b) {
            return std::pair(a.stages, a.bytes) < std::pair(b.stages, b.bytes);
          });
      if (most->stages == 2) {
        reasons_.push_back(line_of(*most->list->loop) +
                           "T.Pipelined: in order: shared memory has no space for a second stage");
        loops_.erase(most);
        if (loops_.empty()) return false;
        continue;
      }
      --most->stages;
      reasons_.push_back(line_of(*most->list->loop) + "T.Pipelined: " +
                         plural(most->stages, "stage") + ", the most that fit in shared memory");
    }
  }

  Stmt visit(const Stmt& stmt) {
    const Buffer* buffer = as<Buffer>(stmt);
    const View* view = as<View>(stmt);
    if (buffer && in_ring_.count(buffer->name)) return seq({});
    if (view && in_ring_.count(view->name)) return seq({});
    const For* loop = as<For>(stmt);
    auto found = prefetch_loops_.find(loop);
    const PrefetchLoop* chosen = found == prefetch_loops_.end() ? nullptr : found->second;
    ++depth_;
    Stmt out = chosen ? pipelined(*loop, *chosen)
                      : map_stmts(stmt, [&](const Stmt& s) { return visit(s); });
    --depth_;
    return at(stmt->span, out);
  }

  Stmt pipelined(const For& loop, const PrefetchLoop& chosen) {
    const PrefetchList& list = *chosen.list;
    const size_t reads = reads_into_registers(list);
    const int64_t distance = reads > 0 ? chosen.stages : chosen.stages - 1;
    const Symbol ring = fresh_name("ring", taken_);
    declare(chosen, ring);
    const DType dtype = loop.lo->type.dtype;
    const Symbol p = fresh_name("p", taken_), w = fresh_name("w", taken_);
    const Expr begun = offset_by(loop.lo, name_ref(p));
    Stmt first = for_loop(p, int_const(0), int_const(distance),
                          filled(chosen, {ring, w}, begun, distance), LoopMode::unroll);
    For out(loop);
    out.stages = 0, out.attrs.clear();
    const Expr later = add(name_ref(loop.var, {dtype}), int_const(distance, dtype));
    const Symbol s = fresh_name("s", taken_);
    const Stmt wait = ring_op(RingOpKind::wait, ring, s),
               release = ring_op(RingOpKind::release, ring);
    const Stmt fill = filled(chosen, {ring, w}, later, 0);
    std::unordered_map<Symbol, Symbol> slots;
    for (const PrefetchedCopy& copy : list.copies)
      for (Symbol name : copy.names()) slots[name] = s;
    std::vector<Stmt> iteration{wait}, rest, end;
    size_t next = 0;  // next copy; they are in order
    for (size_t i = 0; i < list.list->stmts.size(); ++i) {
      if (next < list.copies.size() && list.copies[next].at == i)
        ++next;
      else
        (i < reads ? iteration : rest).push_back(in_slots(visit(list.list->stmts[i]), slots));
    }
    if (list.branch) rest = with_branch(loop, *list.branch, std::move(rest));
    if (reads > 0) {
      iteration.insert(iteration.end(), {release, fill});
      iteration.insert(iteration.end(), rest.begin(), rest.end());
    } else if (chosen.stages == 2 && waits_for_one_slot() && in_flight_matmul(rest) == rest.end()) {
      iteration.insert(iteration.begin(), fill);
      iteration.insert(iteration.end(), rest.begin(), rest.end());
      iteration.push_back(release);
    } else if (!chosen.engine && !list.branch && is_only_matmul(rest)) {
      iteration.insert(iteration.end(), rest.begin(), rest.end());
      iteration.back() = in_flight(rest.back());
      iteration.push_back(if_then(lt(loop.lo, name_ref(loop.var, {dtype})), release));
      iteration.push_back(fill);
      const Expr runs = lt(loop.lo, loop.hi);
      end = {wait_for_matmuls(), int_value(runs) == 1 ? release : if_then(runs, release)};
    } else {
      with_fill(fill, rest, iteration);
      iteration.push_back(release);
    }
    out.body = seq(std::move(iteration));
    Stmt main = seq({at(loop.body->span, make(std::move(out))), seq(std::move(end))});
    if (depth_ <= kTop || chosen.engine) return seq({first, main});
    // The loop runs again: discard slots that were acquired and not filled.
    const Symbol left = fresh_name("p", taken_), gone = fresh_name("s", taken_);
    Stmt last =
        for_loop(left, int_const(0), int_const(distance),
                 seq({ring_op(RingOpKind::wait, ring, gone), ring_op(RingOpKind::release, ring)}),
                 LoopMode::unroll);
    return seq({first, main, last});
  }

  /// The statements of the loop's body with the branch around these.
  std::vector<Stmt> with_branch(const For& loop, const If& branch, std::vector<Stmt> taken) {
    std::vector<Stmt> out = statements_of(loop.body);
    for (Stmt& stmt : out)
      stmt = as<If>(stmt) == &branch ? at(branch.span, if_then(branch.cond, seq(std::move(taken))))
                                     : visit(stmt);
    return out;
  }

  /// Whether other slots can be in flight after a wait: groups of several rings complete in one
  /// order.
  bool waits_for_one_slot() const {
    return target_.async_waits == Waits::exact && loops_.size() == 1;
  }

  /// The number of statements that the list begins with that read its slots, if they only fill
  /// registers and others follow; else 0.
  size_t reads_into_registers(const PrefetchList& list) const {
    if (!waits_for_one_slot() || list.branch) return 0;
    const std::vector<Stmt>& stmts = list.list->stmts;
    size_t reads = 0;
    std::set<size_t> copies;
    for (const PrefetchedCopy& copy : list.copies)
      reads = std::max(reads, copy.last + 1), copies.insert(copy.at);
    for (size_t i = 0; i < reads; ++i)
      if (!copies.count(i) && !sets_up(stmts[i])) return 0;
    const bool more = std::any_of(stmts.begin() + ptrdiff_t(reads), stmts.end(),
                                  [](const Stmt& stmt) { return !as<Let>(stmt); });
    return more ? reads : 0;
  }

  /// Whether the statement only sets up registers, before a matmul that can still be the first.
  bool sets_up(const Stmt& stmt) const {
    if (as<Let>(stmt) || as<Buffer>(stmt) || as<View>(stmt)) return true;
    if (!as<Fill>(stmt) && !as<Copy>(stmt) && !as<Parallel>(stmt)) return false;
    const auto written = touched(*stmt).written;
    return std::all_of(written.begin(), written.end(), [&](Symbol name) {
      const Buffer* buffer = memory_of_.as_buffer(name);
      return buffer && (buffer->scope == Scope::fragment || buffer->scope == Scope::local);
    });
  }

  /// The first matmul of an iteration, if it can be in flight during the copies for a later one.
  std::vector<Stmt>::const_iterator in_flight_matmul(const std::vector<Stmt>& rest) const {
    const auto matmul =
        std::find_if_not(rest.begin(), rest.end(), [&](const Stmt& stmt) { return sets_up(stmt); });
    const bool in_flight = target_.matrix_waits == Waits::exact && matmul != rest.end() &&
                           as<Gemm>(*matmul) && asynchronous(to<Gemm>(*matmul));
    return in_flight ? matmul : rest.end();
  }

  /// Whether an iteration does nothing but such a matmul of shared operands.
  bool is_only_matmul(const std::vector<Stmt>& rest) const {
    const auto matmul = in_flight_matmul(rest);
    if (matmul == rest.end() || matmul + 1 != rest.end()) return false;
    const Buffer* a = memory_of_.base_buffer(to<Region>(to<Gemm>(*matmul).a).buffer);
    return a && a->scope == Scope::shared &&
           std::all_of(rest.begin(), matmul, [](const Stmt& s) { return as<Let>(s) != nullptr; });
  }

  /// The matmul, in flight while the threads continue; those before it have completed.
  static Stmt in_flight(const Stmt& matmul) {
    Gemm out(to<Gemm>(matmul));
    out.wait = 1;
    return at(matmul->span, make(std::move(out)));
  }
  static Stmt wait_for_matmuls() { return do_call(Intrinsic::mma_wait, {int_const(0)}); }

  /// Appends the statements of an iteration, and those that fill a slot for a later one: while its
  /// first matmul is in flight, if that is asynchronous, or else before all of them.
  void with_fill(const Stmt& fill, std::vector<Stmt>& rest, std::vector<Stmt>& out) const {
    const auto matmul = in_flight_matmul(rest);
    if (matmul == rest.end()) out.push_back(fill);
    for (auto it = rest.begin(); it != rest.end(); ++it) {
      out.push_back(it == matmul ? in_flight(*it) : *it);
      if (it != matmul) continue;
      out.push_back(fill);
      out.push_back(wait_for_matmuls());
    }
  }

  struct SlotOf {
    Symbol ring, slot;
  };
  /// Fills a slot for the given iteration of the loop, if it exists. `begins`: it is one of the
  /// first.
  Stmt filled(const PrefetchLoop& chosen, const SlotOf& of, const Expr& iteration, int64_t begins) {
    const PrefetchList& list = *chosen.list;
    const For& loop = *list.loop;
    std::vector<Stmt> copies;
    for (const PrefetchedCopy& copy : list.copies) {
      const Stmt& given = list.list->stmts[copy.at];
      Stmt placed = chosen.engine ? given : copy.in_groups(given);
      placed = substitute(substitute(placed, list.own), {{loop.var, iteration}});
      copies.push_back(in_slots(placed, {{copy.into, of.slot}}));
    }
    const auto lo = int_value(loop.lo), hi = int_value(loop.hi);
    const bool surely = begins > 0 && lo && hi && *hi - *lo >= begins;
    Stmt all = seq(std::move(copies));
    if (list.branch)
      all = if_then(substitute(substitute(list.branch->cond, list.own), {{loop.var, iteration}}),
                    all);
    const Stmt acquire = ring_op(RingOpKind::acquire, of.ring, of.slot),
               commit = ring_op(RingOpKind::commit, of.ring);
    auto guarded = [&](const Stmt& stmt) {
      return surely ? stmt : if_then(lt(iteration, loop.hi), stmt);
    };
    if (chosen.engine) return guarded(seq({acquire, all, commit}));
    return seq({acquire, guarded(all), commit});
  }

  void declare(const PrefetchLoop& chosen, Symbol name) {
    const PrefetchList& list = *chosen.list;
    const int64_t stages = chosen.stages;
    Ring ring;
    ring.name = name, ring.stages = stages;
    ring.fill = chosen.engine ? RingFill::tx : RingFill::group;
    ring.producer = ring.consumer = "main";
    if (chosen.engine) ring.unit = Unit::warp, ring.arrivals = kernel_.block / target_.lanes;
    std::vector<std::string> names;
    for (const PrefetchedCopy& copy : list.copies) {
      ring.bytes += copy.bytes();
      for (Stmt& declared : as_stages(copy, name, stages)) memory_.push_back(std::move(declared));
      names.push_back(copy.buffer->name.str());
    }
    rings_.push_back(make(std::move(ring)));
    reasons_.push_back(name.str() + ": " + plural(stages, "slot") + " for " + join(names, ", ") +
                       (chosen.engine ? ", by the copy engine" : ""));
  }

  static constexpr int kTop = 2;  // the loop is in the kernel's own list
  const Kernel& kernel_;
  const PipelinePlan& plan_;
  const Target& target_;
  const KernelMemory memory_of_;
  std::unordered_map<Symbol, int> taken_;
  std::vector<PrefetchLoop> loops_;  // in program order
  std::unordered_map<const For*, const PrefetchLoop*> prefetch_loops_;
  std::set<Symbol> in_ring_;
  int depth_ = 0;
  std::vector<Stmt> rings_, memory_;
  std::vector<std::string> reasons_;
};

}  // namespace

Scheduled schedule_groups(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                          const Target& target) {
  return GroupScheduler(func, kernel, plan, target).run();
}

}  // namespace tilelab
