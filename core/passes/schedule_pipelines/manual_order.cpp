// SPDX-License-Identifier: Apache-2.0
// Schedules loops in the order of T.Pipelined(order=, stage=). With S the last stage, iteration k
// of the new loop runs statements of stage s for iteration k + S - s; a prologue runs the earlier
// ones. The destination of a copy that runs stages before its use becomes a ring whose slots
// complete in groups.
//   for k in pipelined(n, order=[1, 0], stage=[0, 1]): copy(A[k], s); copy(s, B[k])
//   ->  w = ring_acquire(r); copy(A[0], s[w]); ring_commit(r)
//       for k in serial(n): v = ring_wait(r); copy(s[v], B[k]); ring_release(r)
//                           w = ring_acquire(r); if k + 1 < n: copy(A[k + 1], s[w])
//                           ring_commit(r)
#include <algorithm>
#include <set>

#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/passes/schedule_pipelines/loop_order.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

using Part = LoopOrder::Part;

constexpr int64_t kMaxStages = 16;  // prologue iterations, each with its own code

/// Copies that fill slots of one ring together, and the stages that use them.
struct OrderedRing {
  Symbol name;
  std::vector<const Part*> copies;
  std::vector<const PrefetchedCopy*> prefetched;  // of the copies
  int64_t stage = 0, users = 0;                   // stages
  int64_t first_use = 0, last_use = 0;            // places
  int64_t begin() const { return copies.front()->place; }
  int64_t end() const { return copies.back()->place; }
  int64_t slots() const { return users - stage + 1; }
};

class OrderedLoop {
 public:
  OrderedLoop(const For& loop, LoopOrder order, const PrefetchList* list,
              std::unordered_map<Symbol, int>& taken)
      : loop_(loop), order_(std::move(order)), taken_(taken) {
    for (const Part& part : order_.parts) sorted_.push_back(&part);
    std::sort(sorted_.begin(), sorted_.end(),
              [](const Part* a, const Part* b) { return a->place < b->place; });
    if (list) find_rings(*list);
    refused = why_not();
  }

  std::string refused;
  const std::vector<OrderedRing>& rings() const { return rings_; }

  /// The loop and its prologue. `again`: it runs several times in a block.
  Stmt make_loop(bool again) {
    std::vector<Stmt> out = order_.declarations;
    const Type type = loop_.lo->type;
    for (int64_t u = 0; u < order_.last; ++u) {
      const auto iteration_of = [&](int64_t stage) {
        return add(loop_.lo, int_const(u - stage, type.dtype));
      };
      append(out, time(u, iteration_of));
    }
    For main(loop_);
    main.stages = 0, main.attrs.clear();
    const Expr k = name_ref(loop_.var, type);
    main.body = seq(time(order_.last, [&](int64_t stage) {
      return add(k, int_const(order_.last - stage, type.dtype));
    }));
    out.push_back(at(loop_.body->span, make(std::move(main))));
    if (again)  // discards slots that were acquired and not filled
      for (const OrderedRing& ring : rings_)
        for (int64_t i = 0; i < ring.users - ring.stage; ++i) {
          const Symbol gone = fresh_name("s", taken_);
          out.push_back(ring_op(RingOpKind::wait, ring.name, gone));
          out.push_back(ring_op(RingOpKind::release, ring.name));
        }
    return seq(std::move(out));
  }

 private:
  void find_rings(const PrefetchList& list) {
    for (const Part* part : sorted_) {
      const auto found = std::find_if(list.copies.begin(), list.copies.end(), [&](const auto& one) {
        return &one.stmt() == part->stmt.get();
      });
      if (found != list.copies.end()) add_copy(*part, *found);
    }
    for (OrderedRing& ring : rings_) ring.name = fresh_name("ring", taken_);
  }

  /// Adds a copy; to the previous ring if both have the same stages and adjacent uses.
  void add_copy(const Part& part, const PrefetchedCopy& copy) {
    const Buffer& buffer = *copy.buffer;
    OrderedRing ring;
    ring.stage = part.stage, ring.users = -1;
    for (const Part* user : sorted_) {
      if (user == &part || !user->read.count(buffer.name)) continue;
      if (ring.users >= 0 && user->stage != ring.users) return;  // users in several stages: no ring
      if (ring.users < 0) ring.first_use = user->place;
      ring.users = user->stage, ring.last_use = user->place;
    }
    if (ring.users <= ring.stage) return;
    const bool beside = !rings_.empty() && rings_.back().stage == ring.stage &&
                        rings_.back().users == ring.users && are_adjacent(rings_.back(), part);
    if (beside) {
      rings_.back().first_use = std::min(rings_.back().first_use, ring.first_use);
      rings_.back().last_use = std::max(rings_.back().last_use, ring.last_use);
    } else {
      rings_.push_back(ring);
    }
    rings_.back().copies.push_back(&part), rings_.back().prefetched.push_back(&copy);
    in_ring_.insert(buffer.name);
  }

  bool are_adjacent(const OrderedRing& ring, const Part& part) const {
    return std::none_of(sorted_.begin(), sorted_.end(), [&](const Part* other) {
      return other->place > ring.end() && other->place < part.place;
    });
  }

  /// The reason why the order cannot be followed; "" if it can.
  std::string why_not() const {
    if (!loop_.steps.empty() || (loop_.step && !is_int(loop_.step, 1)))
      return "the step of the loop is not 1";
    if (order_.last > kMaxStages)
      return "its stages are " + std::to_string(order_.last) + " iterations apart";
    for (const Stmt& stmt : order_.declarations)
      if (as<Var>(stmt)) return "`" + to<Var>(stmt).name.str() + "` is declared in each iteration";
    for (const Part& part : order_.parts) {
      const Let* let = as<Let>(part.stmt);
      if (let && part.stage != order_.last)
        return "`" + let->name.str() +
               "` reads a buffer that the loop writes, so a later stage cannot recompute it";
      if (contains<Break>(*part.stmt)) return "an iteration may leave the loop";
    }
    for (size_t j = 0; j < order_.parts.size(); ++j)
      for (size_t i = 0; i < j; ++i)
        if (std::string why = too_late(order_.parts[i], order_.parts[j]); !why.empty()) return why;
    return "";
  }

  /// Whether `second` of an iteration still needs memory that `first` of the next one changes.
  std::string too_late(const Part& first, const Part& second) const {
    const int64_t distance = second.stage - first.stage;
    if (distance < 1 || (distance == 1 && second.place < first.place)) return "";
    Part a = first, b = second;
    for (Part* part : {&a, &b})
      for (Symbol name : in_ring_) part->read.erase(name), part->written.erase(name);
    const Symbol name = LoopOrder::shared(a, b);
    return name ? "`" + name.str() + "` holds one iteration, and line " +
                      std::to_string(first.stmt->span.line) +
                      " of the next one would run before line " +
                      std::to_string(second.stmt->span.line) + " of the previous one"
                : "";
  }

  /// Names of a ring's slots at one time: the filled and the used one.
  struct Slots {
    Symbol filled, used;
  };
  void begin_rings(const Part& part, int64_t now, const std::vector<Slots>& slots,
                   std::vector<Stmt>& out) const {
    for (size_t i = 0; i < rings_.size(); ++i) {
      const OrderedRing& ring = rings_[i];
      if (ring.users <= now && ring.first_use == part.place)
        out.push_back(ring_op(RingOpKind::wait, ring.name, slots[i].used));
      if (ring.stage <= now && ring.begin() == part.place)
        out.push_back(ring_op(RingOpKind::acquire, ring.name, slots[i].filled));
    }
  }
  void end_rings(const Part& part, int64_t now, std::vector<Stmt>& out) const {
    for (const OrderedRing& ring : rings_) {
      if (ring.stage <= now && ring.end() == part.place)
        out.push_back(ring_op(RingOpKind::commit, ring.name));
      if (ring.users <= now && ring.last_use == part.place)
        out.push_back(ring_op(RingOpKind::release, ring.name));
    }
  }
  /// The slots that a part uses, by their buffers.
  std::unordered_map<Symbol, Symbol> slots_of(const Part& part,
                                              const std::vector<Slots>& slots) const {
    std::unordered_map<Symbol, Symbol> out;
    for (size_t r = 0; r < rings_.size(); ++r)
      for (size_t i = 0; i < rings_[r].copies.size(); ++i)
        for (Symbol name : rings_[r].prefetched[i]->names())
          out[name] = rings_[r].copies[i] == &part ? slots[r].filled : slots[r].used;
    return out;
  }

  /// The statements of one time: stages up to `now`, for the iterations `iteration_of(stage)`.
  template <class IterationOf> std::vector<Stmt> time(int64_t now, IterationOf&& iteration_of) {
    std::vector<Stmt> out;
    std::vector<Slots> slots;
    for (size_t i = 0; i < rings_.size(); ++i)
      slots.push_back({fresh_name("w", taken_), fresh_name("s", taken_)});
    for (const Part* part : sorted_) {
      if (part->stage > now) continue;
      begin_rings(*part, now, slots, out);
      const Expr k = iteration_of(part->stage);
      Stmt placed = substitute(substitute(by_threads(*part), order_.lets), {{loop_.var, k}});
      placed = at(part->stmt->span, in_slots(placed, slots_of(*part, slots)));
      if (now < order_.last) placed = with_fresh_buffers(placed, taken_);  // in the prologue
      out.push_back(surely(k, part->stage, now) ? placed : if_then(lt(k, loop_.hi), placed));
      end_rings(*part, now, out);
    }
    return out;
  }

  /// Engines signal barriers; groups consist of copies by threads.
  Stmt by_threads(const Part& part) const {
    for (const OrderedRing& ring : rings_)
      for (size_t i = 0; i < ring.copies.size(); ++i)
        if (ring.copies[i] == &part) return ring.prefetched[i]->in_groups(part.stmt);
    return part.stmt;
  }

  /// Whether the iteration provably exists, so that it needs no guard.
  bool surely(const Expr& k, int64_t stage, int64_t now) const {
    if (now == order_.last && stage == order_.last) return true;
    const auto iteration = int_value(k), hi = int_value(loop_.hi);
    return iteration && hi && *iteration < *hi;
  }

  static void append(std::vector<Stmt>& to, std::vector<Stmt> more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  const For& loop_;
  LoopOrder order_;
  std::unordered_map<Symbol, int>& taken_;
  std::vector<const Part*> sorted_;  // by place
  std::vector<OrderedRing> rings_;
  std::set<Symbol> in_ring_;
};

class OrderScheduler {
 public:
  OrderScheduler(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                 const Target& target, PassContext& context)
      : kernel_(kernel),
        plan_(plan),
        target_(target),
        context_(context),
        views_(views_of(*kernel.body)),
        taken_(names_in(func)) {}

  Scheduled run() {
    Scheduled out;
    Stmt body = visit(kernel_.body);
    if (!obeyed_) {
      out.refused = "no loop has a supported order";
      return out;
    }
    // Ring buffers are declared with their slots, before all else.
    body = rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
      const Buffer* buffer = as<Buffer>(s);
      const View* view = as<View>(s);
      if (buffer && in_ring_.count(buffer->name)) return seq({});
      if (view && in_ring_.count(views_.base_of(view->name))) return seq({});
      return s;
    });
    out.body = at(kernel_.body->span, seq({seq(rings_), seq(memory_), body}));
    out.block = kernel_.block;
    out.summary = plural(obeyed_, "loop") + " in the order of the program";
    out.reasons = reasons_;
    return out;
  }

 private:
  Stmt visit(const Stmt& stmt) {
    const For* loop = as<For>(stmt);
    depth_ += loop || as<While>(stmt) || as<TileLoop>(stmt);
    Stmt out = loop && has_order(*loop) ? ordered(stmt) : nullptr;
    if (!out) out = map_stmts(stmt, [&](const Stmt& s) { return visit(s); });
    depth_ -= loop || as<While>(stmt) || as<TileLoop>(stmt);
    return at(stmt->span, out);
  }

  /// Null, with a warning, if the loop falls back to the compiler's order.
  Stmt ordered(const Stmt& stmt) {
    const For& loop = to<For>(stmt);
    std::string wrong;
    std::optional<LoopOrder> order = order_of(loop, views_, &wrong);
    const Seq* body = as<Seq>(loop.body);
    const auto list = std::find_if(plan_.lists.begin(), plan_.lists.end(),
                                   [&](const PrefetchList& one) { return one.list == body; });
    std::unordered_map<Symbol, int> taken = taken_;
    if (order) {
      OrderedLoop made(loop, *order, list == plan_.lists.end() ? nullptr : &*list, taken);
      wrong = made.refused.empty() ? why_not(made) : made.refused;
      if (wrong.empty()) {
        taken_ = taken;
        for (const OrderedRing& ring : made.rings()) declare(ring);
        ++obeyed_;
        return made.make_loop(depth_ > 1);
      }
    }
    context_.diagnostics.report(usage::option_ignored, loop.span, "the `order` of T.Pipelined")
        .note(wrong)
        .help(
            "remove it: the compiler schedules the loop itself, and the kernel is correct either "
            "way");
    return nullptr;
  }

  std::string why_not(const OrderedLoop& loop) const {
    if (!plan_.explicit_sync.empty()) return plan_.explicit_sync;
    if (!loop.rings().empty() && !target_.async_copy)
      return "the target has no asynchronous copies";
    std::map<Symbol, int64_t> slots = slots_;
    for (const OrderedRing& ring : loop.rings())
      for (const PrefetchedCopy* copy : ring.prefetched) slots[copy->buffer->name] = ring.slots();
    return stages_fit(kernel_, target_, slots) ? "" : "its stages do not fit shared memory";
  }

  void declare(const OrderedRing& one) {
    Ring ring;
    ring.name = one.name, ring.stages = one.slots(), ring.fill = RingFill::group;
    ring.producer = ring.consumer = "main";
    std::vector<std::string> names;
    for (size_t i = 0; i < one.copies.size(); ++i) {
      const Buffer& buffer = *one.prefetched[i]->buffer;
      ring.bytes += one.prefetched[i]->bytes();
      for (Stmt& declared : as_stages(*one.prefetched[i], one.name, one.slots()))
        memory_.push_back(std::move(declared));
      slots_[buffer.name] = one.slots();
      in_ring_.insert(buffer.name);
      names.push_back(buffer.name.str());
    }
    rings_.push_back(make(std::move(ring)));
    reasons_.push_back(one.name.str() + ": " + plural(one.slots(), "slot") + " for " +
                       join(names, ", ") + ", as requested by order and stage");
  }

  const Kernel& kernel_;
  const PipelinePlan& plan_;
  const Target& target_;
  PassContext& context_;
  const BufferViews views_;
  std::unordered_map<Symbol, int> taken_;
  std::map<Symbol, int64_t> slots_;
  std::set<Symbol> in_ring_;
  int depth_ = 0, obeyed_ = 0;
  std::vector<Stmt> rings_, memory_;
  std::vector<std::string> reasons_;
};

}  // namespace

Scheduled schedule_ordered(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                           const Target& target, PassContext& context) {
  return OrderScheduler(func, kernel, plan, target, context).run();
}

}  // namespace tilelab
