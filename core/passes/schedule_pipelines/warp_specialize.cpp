// SPDX-License-Identifier: Apache-2.0
// Warp specialization: a producer, one thread of which issues boxes to the copy engine, and
// consumers, the threads that the user launched, which do all else. Between them a ring per set of
// copies in a list that are first used and released at the same places.
//   for k in pipelined(n, stages=3): copy(A[...], A_s, by="engine"); gemm(A_s, ...)
//   ->  with role("producer", ...): for k in serial(n): s = ring_acquire(r); copy(A[...], A_s[s]);
//       ring_commit(r)
//       with role("consumer", ...): for k in serial(n): s = ring_wait(r); gemm(A_s[s], ...);
//       ring_release(r)
#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/analysis/bindings.h"
#include "core/analysis/statements.h"
#include "core/ir/build.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"
#include "core/passes/schedule_pipelines/role_registers.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr const char *kProducer = "producer", *kConsumer = "consumer";

class RoleScheduler {
 public:
  RoleScheduler(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                const Target& target)
      : kernel_(kernel),
        plan_(plan),
        target_(target),
        options_(func),
        memory_of_(func, kernel),
        facts_(RangeAnalysis::of(func)),
        taken_(names_in(func)),
        group_(4 * target.lanes),
        registers_(kernel, target) {
    taken_.merge(names_in(kernel));
  }

  Scheduled run() {
    Scheduled out;
    out.refused = unfit();
    if (out.refused.empty()) out.refused = registers_.refused();
    if (out.refused.empty()) plan_stores();
    if (out.refused.empty() && !find_stages()) out.refused = "its stages do not fit shared memory";
    if (!out.refused.empty()) return out;
    registers_.choose_blocks(options_.processors >= 0 ? options_.processors : target_.processors,
                             [this](int64_t blocks) { return fits(blocks); });
    if (registers_.blocks() > kernel_.min_blocks())
      reasons_.push_back(
          plural(registers_.blocks(), "block") + " run on a processor at once, with " +
          std::to_string(registers_.of_consumers()) + " registers for a consumer's thread");
    for (const PrefetchList& list : plan_.lists) make_rings(list);
    make_mailbox();
    Stmt producer = sliced(kernel_.body), consumer = in_flight(consumed(kernel_.body));
    out.block = kernel_.block + group_;
    out.stages = stages_, out.blocks = registers_.blocks();
    const bool first = target_.producer_first;
    out.body =
        at(kernel_.body->span, seq({seq(rings_), seq(memory_),
                                    role(kProducer, first ? 0 : kernel_.block, group_, producer),
                                    role(kConsumer, first ? group_ : 0, kernel_.block, consumer)}));
    out.summary = "a producer and consumers, " + plural(int64_t(rings_.size()), "ring") + " of " +
                  std::to_string(stages_) + " stages";
    out.reasons = reasons_;
    out.maps = maps_;
    return out;
  }

 private:
  /// The rings of a list, and the positions in it where their slots are handed over.
  struct HandOvers {
    std::vector<RingGroup> groups;
    // By position: the group of a copy, and the groups whose first or last use is there.
    std::unordered_map<size_t, size_t> copied;
    std::map<size_t, std::vector<size_t>> first, last;
    std::unordered_map<Symbol, Symbol> slots;  // of the buffers
  };

  static bool by_engine(const PrefetchedCopy& copy) { return copy.by(CopyBy::engine); }
  /// Whether the producer makes the copies of the list.
  static bool is_produced(const PrefetchList& list) {
    return list.sliced && std::any_of(list.copies.begin(), list.copies.end(), by_engine);
  }

  std::string unfit() const {
    if (!target_.tensor.exists || target_.barriers.kind == Barriers::Kind::none)
      return "the target has no copy engine with barriers";
    if (!options_.roles) return "roles are disabled by the pass configuration";
    if (!plan_.explicit_sync.empty()) return plan_.explicit_sync;
    bool found = false;
    for (const PrefetchList& list : plan_.lists) {
      if (!list.loop) continue;
      for (const PrefetchedCopy& copy : list.copies)
        if (copy.copy && !by_engine(copy))  // gathers remain in the consumers
          return "the copy into `" + copy.buffer->name.str() + "` does not use the copy engine";
      if (!list.sliced) return "the loop is at a position that a second role cannot follow";
      found |= std::any_of(list.copies.begin(), list.copies.end(), by_engine);
    }
    if (!found) return "no pipelined loop has a copy to prefetch";
    if (kernel_.block % target_.role_align != 0)
      return std::to_string(kernel_.block) + " threads are not a multiple of " +
             std::to_string(target_.role_align);
    if (kernel_.block + group_ > target_.max_threads)
      return "the block has no free threads for a producer";
    return "";
  }

  void plan_stores() {
    const RangeAnalysis facts = facts_of_block();
    for (const FragmentStore& store : plan_.stores) {
      StorePlan plan = plan_store(store, kernel_, memory_of_, target_, facts);
      if (plan.refused.empty())
        stores_.emplace(store.stmt, std::move(plan));
      else
        reasons_.push_back(described(store) +
                           ": stores by the threads; no copy engine: " + plan.refused);
    }
  }

  static std::string described(const FragmentStore& store) {
    return line_of(*store.stmt) + (store.adds ? "sum into `" : "copy to `") +
           store.dst->buffer.str() + "`";
  }

  /// Whether this many blocks fit the shared memory of a processor, with slots of buffers besides
  /// those of the rings.
  bool fits(int64_t blocks = 1, std::map<Symbol, int64_t> stages = {}) const {
    for (const PrefetchList& list : plan_.lists)
      for (const PrefetchedCopy& copy : list.copies)
        if (is_produced(list) && by_engine(copy)) stages[copy.buffer->name] = stages_of(list);
    int64_t more = 0;
    for (const auto& [copy, store] : stores_) more += store_slots_ * allocated_bytes(store.memory);
    return stages_fit(kernel_, target_, stages, more, blocks);
  }

  /// Finds the largest number of stages of pipelined loops that fits. Stores by the engine take two
  /// slots, or one, of the remaining memory, and then other copies in loops two: the next iteration
  /// of such a loop, or the next tile, is loaded while consumers finish this one. Not with a
  /// mailbox, in whose loop nvcc takes the descriptors of a slot that varies out of the uniform
  /// registers (an attention with heads of 64 was 15 % slower).
  bool find_stages() {
    int64_t most = 1;
    for (const PrefetchList& list : plan_.lists)
      if (list.loop) most = std::max(most, list.loop->stages);
    for (stages_ = most; stages_ > 0; --stages_) {
      for (store_slots_ = 2; store_slots_ > 0 && !fits();) --store_slots_;
      if (fits()) break;
    }
    if (store_slots_ == 0 && !stores_.empty()) {
      stores_.clear();
      reasons_.push_back("stores by the threads: not enough shared memory for the copy engine");
    }
    for (repeated_ = has_mailbox() ? 1 : 2; repeated_ > 1 && !fits();) --repeated_;
    if (stages_ > 0 && stages_ < most)
      reasons_.push_back("T.Pipelined: " + plural(stages_, "stage") + " of " +
                         std::to_string(most) + ", the most that fit in shared memory");
    return stages_ > 0;
  }
  int64_t stages_of(const PrefetchList& list) const {
    return list.loop ? std::min(stages_, list.loop->stages) : list.repeated ? repeated_ : 1;
  }

  // ---- rings

  void make_rings(const PrefetchList& list) {
    if (!is_produced(list)) return;
    HandOvers& here = hand_overs_[list.list];
    std::map<std::pair<size_t, size_t>, size_t> same;  // by first and last use
    for (const PrefetchedCopy& copy : list.copies) {
      if (!by_engine(copy)) continue;
      auto [it, fresh] = same.try_emplace({copy.first, copy.last}, here.groups.size());
      if (fresh)
        here.groups.push_back({fresh_name("ring", taken_),
                               fresh_name("s", taken_),
                               stages_of(list),
                               0,
                               copy.first,
                               copy.last,
                               {}});
      RingGroup& group = here.groups[it->second];
      group.bytes += copy.bytes();
      group.copies.push_back(&copy);
      here.copied[copy.at] = it->second;
      for (Symbol name : copy.names()) here.slots[name] = group.slot;
    }
    for (size_t g = 0; g < here.groups.size(); ++g) {
      here.first[here.groups[g].first].push_back(g);
      here.last[here.groups[g].last].push_back(g);
      declare(list, here.groups[g]);
    }
  }

  void declare(const PrefetchList& list, const RingGroup& group) {
    Ring ring;
    ring.name = group.ring, ring.stages = group.stages, ring.fill = RingFill::tx;
    ring.bytes = group.bytes, ring.producer = kProducer, ring.consumer = kConsumer;
    const bool groups = target_.barriers.unit == Unit::lane && kernel_.block % group_ == 0 &&
                        only_matrix_units_read(list, group);
    ring.unit = groups ? Unit::group : Unit::warp;
    ring.arrivals = kernel_.block / (groups ? group_ : target_.lanes);
    rings_.push_back(make(std::move(ring)));
    std::vector<std::string> names;
    for (const PrefetchedCopy* copy : group.copies) {
      for (Stmt& declared : as_stages(*copy, group.ring, group.stages))
        memory_.push_back(std::move(declared));
      for (Symbol name : copy->names()) in_ring_.insert(name);
      names.push_back(copy->buffer->name.str());
    }
    reasons_.push_back(group.ring.str() + ": " + plural(group.stages, "slot") + " for " +
                       join(names, ", "));
  }

  /// Whether matrix units read the slots and no thread accesses them: a warp group then releases a
  /// slot as a whole.
  static bool only_matrix_units_read(const PrefetchList& list, const RingGroup& group) {
    bool only = true;
    for (size_t i = group.first; i <= group.last; ++i)
      walk(*list.list->stmts[i], [&](const Node& node) {
        const Gemm* gemm = as<Gemm>(&node);
        if (gemm && asynchronous(*gemm)) return false;
        const Region* region = as<Region>(&node);
        const Load* load = as<Load>(&node);
        const Store* store = as<Store>(&node);
        const Symbol used = region  ? region->buffer
                            : load  ? load->buffer
                            : store ? store->buffer
                                    : Symbol();
        for (const PrefetchedCopy* copy : group.copies)
          for (Symbol name : copy->names()) only = only && used != name;
        return only;
      });
    return only;
  }

  // ---- the producer: the control flow around its copies, and nothing else

  Stmt sliced(const Stmt& stmt) {
    if (!stmt) return nullptr;
    if (const Seq* list = as<Seq>(stmt)) return sliced(*list);
    if (!as<For>(stmt) && !as<TileLoop>(stmt) && !as<If>(stmt)) return nullptr;
    if (const If* branch = as<If>(stmt)) {
      Stmt then_ = sliced(branch->then_), else_ = sliced(branch->else_);
      if (!then_ && !else_) return nullptr;
      If out(*branch);
      if (!then_) out.cond = unary(UnOp::lnot, out.cond);
      out.then_ = then_ ? then_ : else_, out.else_ = then_ ? else_ : nullptr;
      return at(stmt->span, make(std::move(out)));
    }
    bool any = false;
    tiles_ += as<TileLoop>(stmt) != nullptr;
    Stmt out = map_stmts(stmt, [&](const Stmt& s) {
      Stmt inner = sliced(s);
      any = any || inner;
      return inner ? inner : s;
    });
    tiles_ -= as<TileLoop>(stmt) != nullptr;
    return any ? in_order(drawn(out, true)) : nullptr;
  }

  Stmt sliced(const Seq& list) {
    std::vector<Stmt> out;
    bool any = false;
    for (size_t i = 0; i < list.stmts.size(); ++i) {
      const Stmt& stmt = list.stmts[i];
      const RingGroup* group = group_of(list, i);
      const Let* let = as<Let>(stmt);
      if (let && plan_.names.count(let->name)) out.push_back(stmt);
      if (plan_.scalars.count(stmt.get())) {
        out.push_back(stmt);
        continue;
      }
      if (!group) {
        if (Stmt inner = sliced(stmt)) any = true, out.push_back(inner);
        continue;
      }
      any = true;
      if (group->copies.front()->at == i)
        out.push_back(ring_op(RingOpKind::acquire, group->ring, group->slot));
      out.push_back(in_slots(stmt, {{to<Region>(to<Copy>(stmt).dst).buffer, group->slot}}));
      if (group->copies.back()->at == i) out.push_back(ring_op(RingOpKind::commit, group->ring));
    }
    if (!any) return nullptr;
    if (tiles_ > 0) load_in_first_iteration(out, facts_of_block());
    return seq(with_used_names(std::move(out)));
  }

  RangeAnalysis facts_of_block() const {
    RangeAnalysis facts = facts_;
    facts.enter(kernel_, target_.lanes);
    facts.bind_all(*kernel_.body);
    return facts;
  }

  /// Dead code elimination: removes lets and other scalars without later uses.
  std::vector<Stmt> with_used_names(std::vector<Stmt> stmts) const {
    std::vector<Stmt> out;
    std::unordered_map<Symbol, int> used;
    for (size_t i = stmts.size(); i-- > 0;) {
      const Let* let = as<Let>(stmts[i]);
      if (let && !used.count(let->name)) continue;
      if (plan_.scalars.count(stmts[i].get()) && !binds_any(*stmts[i], used)) continue;
      used.merge(names_in(let ? static_cast<const Node&>(*let->value) : *stmts[i]));
      out.push_back(stmts[i]);
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  const RingGroup* group_of(const Seq& list, size_t position) const {
    auto it = hand_overs_.find(&list);
    if (it == hand_overs_.end()) return nullptr;
    auto found = it->second.copied.find(position);
    return found == it->second.copied.end() ? nullptr : &it->second.groups[found->second];
  }

  // ---- the consumers: everything except those copies

  Stmt consumed(const Stmt& stmt) {
    if (const Buffer* buffer = as<Buffer>(stmt); buffer && buffer->scope == Scope::shared) {
      if (!in_ring_.count(buffer->name)) memory_.push_back(stmt);
      return seq({});
    }
    if (const View* view = as<View>(stmt); view && of_block(*view)) {
      if (!in_ring_.count(view->name)) memory_.push_back(stmt);
      return seq({});
    }
    if (auto it = stores_.find(stmt.get()); it != stores_.end()) return stored(it->second);
    if (Stmt barrier = of_role(stmt)) return barrier;
    const Seq* list = as<Seq>(stmt);
    if (!list)
      return in_order(drawn(map_stmts(stmt, [&](const Stmt& s) { return consumed(s); }), false));
    std::vector<Stmt> out;
    const HandOvers* here = hand_overs_.count(list) ? &hand_overs_.at(list) : nullptr;
    for (size_t i = 0; i < list->stmts.size(); ++i) {
      if (group_of(*list, i)) continue;
      const Stmt each = consumed(list->stmts[i]);
      if (here) hand_over(*here, here->first, i, RingOpKind::wait, out);
      out.push_back(here ? in_slots(each, here->slots) : each);
      if (here) hand_over(*here, here->last, i, RingOpKind::release, out);
    }
    return at(stmt->span, seq(std::move(out)));
  }

  /// A barrier that the program has for its threads, which are this role's now; null for others.
  static Stmt of_role(const Stmt& stmt) {
    const Call* call = called(stmt);
    if (!call || call->intrinsic != Intrinsic::block_sync) return nullptr;
    return at(stmt->span, do_call(Intrinsic::role_sync, {}, call->attrs));
  }

  /// The ring operations of `at` at a position.
  static void hand_over(const HandOvers& of, const std::map<size_t, std::vector<size_t>>& at,
                        size_t position, RingOpKind op, std::vector<Stmt>& out) {
    auto it = at.find(position);
    if (it == at.end()) return;
    for (size_t g : it->second)
      out.push_back(
          ring_op(op, of.groups[g].ring, op == RingOpKind::wait ? of.groups[g].slot : Symbol()));
  }

  Stmt stored(StorePlan& store) {
    Ring ring;
    ring.name = fresh_name("out", taken_), ring.stages = store_slots_, ring.fill = RingFill::store;
    ring.bytes = allocated_bytes(store.memory);
    ring.producer = ring.consumer = kConsumer;
    ring.unit = Unit::group, ring.arrivals = kernel_.block / group_;
    const Symbol tensor = store.map.buffer;
    store.memory.name = fresh_name(tensor.str() + "_out", taken_);
    store.map.name = fresh_name(tensor.str() + "_map", taken_);
    memory_.push_back(make(as_stages(store.memory, ring.name, store_slots_)));
    maps_.push_back(make(TensorMap(store.map)));
    reasons_.push_back(described(store.store) + ": by the copy engine, in " +
                       plural(store.pieces, "piece"));
    const StoreNames names{fresh_name("c", taken_), fresh_name("w", taken_),
                           fresh_name("e", taken_)};
    Stmt out = store_in_pieces(store, ring.name, names);
    rings_.push_back(make(std::move(ring)));
    return out;
  }

  /// Overlaps the consumers' matmuls, if the target can wait for individual ones.
  Stmt in_flight(const Stmt& text) {
    const Stmt body = with_masks_where_needed(text, kernel_, reasons_);
    if (target_.matrix_waits != Waits::exact) return body;
    const int64_t all = target_.registers / (kernel_.block + group_);
    const int64_t given = registers_.of_consumers();
    const auto have_space = [this](const std::map<Symbol, int64_t>& slots) {
      return fits(registers_.blocks(), slots);
    };
    const MatmulContext of{&kernel_,
                           &memory_of_,
                           &rings_,
                           &memory_,
                           kConsumer,
                           kernel_.block / group_,
                           given ? given : std::min<int64_t>(all, 248),
                           have_space};
    RangeAnalysis facts = facts_;
    facts.enter(kernel_, target_.lanes);
    return with_matmuls_in_flight(body, of, facts, taken_, reasons_);
  }

  // ---- dynamic tiles: the producer draws them and passes them to the consumers through a mailbox

  bool has_mailbox() const {
    return any_of(*kernel_.body,
                  [](const TileLoop& tiles) { return tiles.source == TileSource::mailbox; });
  }

  void make_mailbox() {
    if (!has_mailbox()) return;
    constexpr int64_t kSlots = 2;
    Ring ring;
    ring.name = mail_ = fresh_name("drawn", taken_), ring.stages = kSlots;
    ring.fill = RingFill::arrive, ring.bytes = bytes(DType::i32);
    ring.producer = kProducer, ring.consumer = kConsumer;
    ring.unit = Unit::warp, ring.arrivals = kernel_.block / target_.lanes;
    rings_.push_back(make(std::move(ring)));
    Buffer mail, counter;
    mail.name = fresh_name("mail", taken_), mail.scope = Scope::shared, mail.ring = mail_;
    counter.name = counter_ = fresh_name("counter", taken_), counter.scope = Scope::global;
    mail.dtype = counter.dtype = DType::i32, mail.shape = counter.shape = {int_const(2)};
    memory_.push_back(make(std::move(mail)));
    Workspace work;
    work.buffer = make(std::move(counter)), work.zeroed = true;
    maps_.push_back(make(std::move(work)));
  }

  Stmt drawn(const Stmt& stmt, bool draws) const {
    const TileLoop* tiles = as<TileLoop>(stmt);
    if (!tiles || tiles->source != TileSource::mailbox) return stmt;
    TileLoop out(*tiles);
    out.ring = mail_;
    if (draws) out.counter = counter_;
    return at(stmt->span, make(std::move(out)));
  }

  /// Whether both roles can access it.
  bool of_block(const View& view) const {
    const Buffer* memory = memory_of_.base_buffer(view.name);
    return memory && (memory->scope == Scope::shared || memory->scope == Scope::global);
  }

  static Stmt in_order(const Stmt& stmt) {
    const For* loop = as<For>(stmt);
    if (!loop || loop->stages == 0) return stmt;
    For out(*loop);
    out.stages = 0, out.attrs.clear();
    return at(stmt->span, make(std::move(out)));
  }

  // ---- roles

  Stmt role(const char* name, int64_t lo, int64_t threads, Stmt body) const {
    Role out;
    out.name = name, out.lo = lo, out.hi = lo + threads;
    out.body = std::move(body);
    out.regs = name == kProducer ? registers_.of_producer() : registers_.of_consumers();
    return at(kernel_.body->span, make(std::move(out)));
  }

  const Kernel& kernel_;
  const PipelinePlan& plan_;
  const Target& target_;
  const UnitOptions options_;
  const KernelMemory memory_of_;
  const RangeAnalysis facts_;
  std::unordered_map<Symbol, int> taken_;
  const int64_t group_;  // threads of four warps
  RoleRegisters registers_;
  int64_t stages_ = 1, store_slots_ = 0;
  int64_t repeated_ = 1;  // slots of copies that loops repeat without T.Pipelined
  std::unordered_map<const Node*, StorePlan> stores_;
  std::vector<Stmt> maps_;
  std::unordered_map<const Seq*, HandOvers> hand_overs_;
  std::set<Symbol> in_ring_;
  std::vector<Stmt> rings_, memory_;
  Symbol mail_, counter_;  // if tiles are drawn
  int tiles_ = 0;          // loops over tiles around the sliced statement
  std::vector<std::string> reasons_;
};

}  // namespace

Scheduled schedule_roles(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                         const Target& target) {
  return RoleScheduler(func, kernel, plan, target).run();
}

}  // namespace tilelab
