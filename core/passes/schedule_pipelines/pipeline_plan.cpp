// SPDX-License-Identifier: Apache-2.0
#include "core/passes/schedule_pipelines/pipeline_plan.h"

#include <algorithm>
#include <unordered_set>

#include "core/analysis/effects.h"
#include "core/analysis/endless.h"
#include "core/analysis/statements.h"
#include "core/ir/build.h"
#include "core/layout/layout.h"
#include "core/passes/schedule_pipelines/filled_buffers.h"
#include "core/passes/schedule_pipelines/list_uses.h"
#include "core/passes/shared/gather_loops.h"

namespace tilelab {
namespace {

constexpr const char* kLater = "its address is computed by later statements";
constexpr const char* kOwnRoles = "it has roles and rings already";

class Planner {
 public:
  Planner(const Func& func, const Kernel& kernel)
      : kernel_(kernel), memory_(func, kernel), varying_(kernel), facts_(RangeAnalysis::of(func)) {
    facts_.enter(kernel, 1);  // no copy that can be prefetched depends on lanes
    for_each(
        *kernel.body, [&](const Var& var) { vars_.insert(var.name); },
        [&](const Role&) { plan_.explicit_sync = kOwnRoles; },
        [&](const Ring&) { plan_.explicit_sync = kOwnRoles; },
        [&](const Call& call) {
          const Step step = info(call.intrinsic).step;
          const bool orders = step != Step::none && step != Step::atomic && step != Step::foreign;
          if (orders && !is_cluster_barrier(call.intrinsic) && !orders_in_place(call.intrinsic))
            plan_.explicit_sync = "the kernel calls " + std::string(name(call.intrinsic));
        },
        [&](const Node& node) {
          for_each_use(node, [&](Symbol name) { ++uses_[memory_.views.base_of(name)]; });
        },
        [&](const StmtNode& node) {
          for (const Effect& effect : effects(node)) {
            const Symbol memory = memory_.views.base_of(effect.buffer);
            writers_[memory] += effect.write;
            stores_[memory] += effect.write && as<Store>(&node);
            if (effect.atomic != Intrinsic::atomic_add) not_only_sums_.insert(memory);
          }
        },
        [&](const Assign& assign) { ++assigned_[assign.name]; });
    find_scalars(kernel.body);
  }

  PipelinePlan run() {
    visit(kernel_.body, {.facts = facts_});
    if (!ends_before_barriers_of_the_cluster())
      plan_.explicit_sync = "it synchronizes the cluster before its last prefetched copy";
    return std::move(plan_);
  }

 private:
  /// Whether a producer ends before the consumers' barriers of the cluster, which wait until then:
  /// none is in a loop or before a copy.
  bool ends_before_barriers_of_the_cluster() const {
    std::unordered_set<const Node*> copies;
    for (const PrefetchList& list : plan_.lists)
      for (const PrefetchedCopy& copy : list.copies) copies.insert(list.list->stmts[copy.at].get());
    const auto synchronizes = [](const Node& node) {
      return any_of(node, [](const Call& call) { return is_cluster_barrier(call.intrinsic); });
    };
    bool synchronized = false, ends = true;
    for_each(*kernel_.body, [&](const StmtNode& stmt) {
      const Kind kind = stmt.kind;
      const bool loop = kind == Kind::For || kind == Kind::While || kind == Kind::TileLoop;
      ends = ends && !(loop && synchronizes(stmt)) && !(synchronized && copies.count(&stmt));
      synchronized |= kind == Kind::Do && synchronizes(stmt);
    });
    return ends;
  }

  /// Finds the statements that compute scalars in a way that another role can repeat.
  void find_scalars(const Stmt& stmt) {
    if (!stmt || as<Role>(stmt)) return;
    if (!as<Seq>(stmt) && !as<Let>(stmt) && is_repeatable(stmt)) {
      plan_.scalars.insert(stmt.get());
      for_each(*stmt, [&](const Assign& assign) { --assigned_[assign.name]; });
      return;
    }
    for_each_stmt(*stmt, [&](const Stmt& s) { find_scalars(s); });
  }

  bool is_repeatable(const Stmt& stmt) const {
    bool all = computes_scalars(stmt);
    if (all)
      for_each(
          *stmt, [&](const Region&) { all = false; },
          [&](const Load& load) { all = all && is_read_only(load.buffer); },
          [&](const StmtNode& node) { all = all && !varying_(node); });
    return all;
  }

  /// Whether another role can compute the variable.
  bool is_scalar(Symbol name) const {
    auto it = assigned_.find(name);
    return it == assigned_.end() || it->second == 0;
  }

  /// Whether the loop assigns to a name of the value.
  bool changes(const For* loop, const Node& value) const {
    if (!loop || vars_.empty()) return false;
    const auto made = assigned_in_.try_emplace(loop);
    auto& assigned = made.first->second;
    if (made.second)
      for_each(*loop->body, [&](const Assign& assign) { assigned.insert(assign.name); });
    return !assigned.empty() &&
           any_of(value, [&](const Name& name) { return assigned.count(name.id) != 0; });
  }

  /// Context of a statement. `together`: all threads reach it, equally often; `sliced`: another
  /// role can run the same control flow; `tile`: variables of persistent loops.
  struct Around {
    const For* loop = nullptr;   // whose body this is
    const If* branch = nullptr;  // of that loop, whose body this is
    bool together = true, sliced = true;
    bool again = false;   // an iteration may store where another one has stored
    bool waited = false;  // an iteration before may wait for other blocks
    std::vector<Symbol> tile;
    RangeAnalysis facts;
    bool repeated() const { return again || !tile.empty(); }
  };

  void visit(const Stmt& stmt, Around around) {
    if (!stmt) return;
    if (const Seq* list = as<Seq>(stmt)) return sequence(*list, around);
    if (const Copy* copy = as<Copy>(stmt))
      return add_non_pipelined(*copy, "nothing after it uses it", false);
    around.together = around.together && !varying_(*stmt);
    const For* outer = std::exchange(around.loop, nullptr);
    around.branch = nullptr;
    const bool repeats = as<For>(stmt) || as<While>(stmt) || as<TileLoop>(stmt);
    const bool waits = repeats && waits_for_others(static_cast<const Node&>(*stmt));
    around.again |= as<For>(stmt) || as<While>(stmt), around.waited |= waits;
    if (const For* loop = as<For>(stmt)) {
      around.facts.enter(*loop);
      around.sliced = around.sliced && movable(loop->lo) && movable(loop->hi) &&
                      (!loop->step || movable(loop->step)) && !contains<Break>(*stmt);
      around.loop = loop->stages > 0 && !waits ? loop : nullptr;
    } else if (const TileLoop* tiles = as<TileLoop>(stmt)) {
      around.facts.enter(*tiles);
      around.sliced = around.sliced && !tiles->ring && !contains<Break>(*stmt);
      around.tile.insert(around.tile.end(), tiles->vars.begin(), tiles->vars.end());
      for (const Expr& extent : tiles->domain) around.sliced = around.sliced && movable(extent);
    } else if (const If* branch = as<If>(stmt)) {
      around.sliced = around.sliced && movable(branch->cond);
      if (outer && has_all_fills(*branch, *outer) && movable(branch->cond) &&
          !changes(outer, *branch->cond))
        around.loop = outer, around.branch = branch;
    } else {
      around.sliced = false;
    }
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s, around); });
    waited_ |= waits;
    if (orders(*stmt, repeats)) plan_.stores.clear();
  }

  /// Whether it is a barrier or fence of the program, or a loop in which one may follow its stores.
  static bool orders(const StmtNode& stmt, bool repeats) {
    return (repeats || stmt.kind == Kind::Do) &&
           any_of(stmt, [](const Call& call) { return orders_in_place(call.intrinsic); });
  }

  /// Whether the branch is a statement of the loop's body, and no other one fills shared memory.
  bool has_all_fills(const If& branch, const For& loop) const {
    if (branch.else_) return false;
    bool found = false, others = false;
    for (const Stmt& stmt : statements_of(loop.body)) {
      const bool is_branch = as<If>(stmt) == &branch;
      found |= is_branch;
      if (is_branch || as<Let>(stmt)) continue;
      for (Symbol name : touched(*stmt, memory_.views).written) {
        const Buffer* buffer = memory_.base_buffer(name);
        others |= buffer && buffer->scope == Scope::shared;
      }
    }
    return found && !others;
  }

  /// Whether another role can compute the value.
  bool movable(const Expr& value) const { return !varying_(value) && reads_tensors(value); }

  /// Whether the value reads only names that this role can compute, and elements of tensors that
  /// the kernel does not write.
  bool reads_tensors(const Expr& value) const {
    return !any_of(
        *value, [](const Region&) { return true; },
        [&](const Load& load) { return !is_read_only(load.buffer); },
        [&](const Name& name) { return has_local_value(name.id); });
  }

  bool is_read_only(Symbol name) const {
    const Buffer* memory = memory_.base_buffer(name);
    return memory && memory->scope == Scope::global && !memory_.written(name);
  }

  /// Whether the name has its value only at its point of definition.
  bool has_local_value(Symbol name) const {
    return (vars_.count(name) && !is_scalar(name)) || fixed_.count(name);
  }

  void sequence(const Seq& list, Around around) {
    PrefetchList out{&list, around.loop, around.branch, around.sliced, around.repeated(), {},
                     {},    {}};
    FilledBuffers filled;
    const ListUses uses(list, memory_.views);
    std::vector<std::pair<Symbol, Expr>> bound;  // in this list, with the outer values
    for (size_t i = 0; i < list.stmts.size(); ++i) {
      const Stmt& stmt = list.stmts[i];
      if (const Let* let = as<Let>(stmt)) {
        bind(*let, around.loop, bound);
        if (is_integer(let->value->type.dtype)) around.facts.bind(*let);
      }
      if (const Parallel* loop = around.loop ? as<Parallel>(stmt) : nullptr)
        gather(to<Parallel>(filled.with_values(stmt)), *loop, i, uses, around, out);
      if (around.loop) record(stmt, filled);
      const Copy* copy = as<Copy>(stmt);
      const auto store = fragment_store(stmt, memory_);
      if (store && is_independent(*store, around)) plan_.stores.push_back(*store);
      if (!copy) {
        visit(stmt, around);
        continue;
      }
      if (copy->by != CopyBy::engine && copy->by != CopyBy::async && !memory_.loads(*copy))
        continue;
      PrefetchedCopy prefetched;
      prefetched.copy = copy, prefetched.into = to<Region>(copy->dst).buffer, prefetched.at = i;
      std::string why = plan_prefetch(uses, around, prefetched);
      if (why.empty()) why = copied(prefetched, around.loop);
      if (why.empty())
        out.copies.push_back(prefetched), keep_names(*copy, out.names);
      else
        add_non_pipelined(*copy, why, around.loop);
    }
    if (out.branch) keep_names(*out.branch->cond, out.names);
    for (auto& [name, before] : bound) {
      if (before)
        names_[name] = before;
      else
        names_.erase(name);
    }
    if (out.copies.empty()) return;
    if (out.loop) out.own = own_[out.loop];
    out.sliced = out.sliced && !around.waited && !waited_;  // a second role would not wait
    plan_.lists.push_back(std::move(out));
  }

  bool is_written_once(Symbol name) const {
    auto it = writers_.find(memory_.views.base_of(name));
    return it != writers_.end() && it->second == 1;
  }

  /// Whether a copy is all that writes the memory but single elements, which its users may change
  /// in their slot.
  bool is_filled_once(Symbol name) const {
    const Symbol memory = memory_.views.base_of(name);
    return writers_.at(memory) - stores_.at(memory) == 1;
  }

  /// Whether each tile has another place that nothing else writes; sums need only other sums.
  bool is_independent(const FragmentStore& store, const Around& around) const {
    const Symbol tensor = memory_.views.base_of(store.dst->buffer);
    if (store.adds) return around.together && !not_only_sums_.count(tensor);
    const Expr place = substitute(Expr(store.dst), names_);
    const auto differs = [&](Symbol var) { return mentions(place, var); };
    return around.together && !around.again && is_written_once(tensor) &&
           std::all_of(around.tile.begin(), around.tile.end(), differs);
  }

  /// The sum of the names in the value: a small expression that depends on the same ones.
  static Expr sum_of_names(const Expr& value) {
    std::vector<Symbol> found;
    Expr out = int_const(0);
    for_each(*value, [&](const Name& name) {
      if (std::find(found.begin(), found.end(), name.id) != found.end()) return;
      found.push_back(name.id);
      out = add(out, cast(DType::i32, Expr(&name)));
    });
    return out;
  }

  /// Lets of a loop's body are substituted into a copy that moves out of it; a let that cannot move
  /// disables its users, and one whose variables the loop assigns cannot. Another role repeats the
  /// other lets in their order, so that only the names matter that they depend on: a large value is
  /// replaced by the sum of these.
  void bind(const Let& let, const For* loop, std::vector<std::pair<Symbol, Expr>>& bound) {
    Expr value =
        !changes(loop, *let.value) && movable(let.value) ? substitute(let.value, names_) : nullptr;
    Expr inside = value && loop ? substitute(let.value, own_[loop]) : let.value;
    if (value && !is_smaller(*value, kMaxLetSize)) value = sum_of_names(value);
    if (!value || !is_smaller(*value, kMaxLetSize) || !is_smaller(*inside, kMaxLetSize)) {
      fixed_.insert(let.name);
      return;
    }
    Expr& name = names_[let.name];
    bound.emplace_back(let.name, name);
    plan_.names[let.name] = name = std::move(value);
    if (loop) own_[loop][let.name] = std::move(inside);
  }

  /// The lets that the copy uses.
  void keep_names(const Node& copy, Substitution& out) const {
    for_each(copy, [&](const Name& name) {
      if (auto it = names_.find(name.id); it != names_.end()) out.insert(*it);
    });
  }

  /// Records the elements of a buffer of the block that the statement fills from tensors.
  void record(const Stmt& stmt, FilledBuffers& filled) const {
    filled.forget(touched(*stmt, memory_.views).written);
    const Parallel* loop = as<Parallel>(stmt);
    const Copy* copy = as<Copy>(stmt);
    const Stmt given = loop ? filled.with_values(stmt) : stmt;
    FilledBuffers::Elements found = loop   ? elements_of(to<Parallel>(given))
                                    : copy ? elements_of(*copy)
                                           : FilledBuffers::Elements();
    const Buffer* buffer = found.value ? memory_.base_buffer(found.buffer) : nullptr;
    const auto shape = buffer ? memory_.shape_of(found.buffer) : std::nullopt;
    if (!shape || *shape != found.extents || buffer->name != found.buffer) return;
    if (buffer->scope == Scope::global || !is_smaller(*found.value, kMaxLetSize) ||
        !reads_tensors(found.value))
      return;
    if (found.value->type.dtype == buffer->dtype) filled.record(std::move(found));
  }

  /// Analyzes a parallel loop that fills shared memory from tensors, element by element; `written`:
  /// as in the program.
  void gather(const Parallel& loop, const Parallel& written, size_t at, const ListUses& uses,
              const Around& around, PrefetchList& list) {
    const Stmt stmt = gathering_store(loop);
    const Store* store = stmt ? &to<Store>(stmt) : nullptr;
    const Load* element = store ? gathered(store->value).element : nullptr;
    const Buffer *from = element ? memory_.base_buffer(element->buffer) : nullptr,
                 *into = store ? memory_.base_buffer(store->buffer) : nullptr;
    if (!from || !into || from->scope != Scope::global || into->scope != Scope::shared) return;
    if (touched(written, memory_.views).read.count(into->name)) return;  // it changes elements
    PrefetchedCopy prefetched;
    prefetched.gather = &loop, prefetched.owner = Stmt(&loop);
    prefetched.into = store->buffer, prefetched.at = at;
    std::string why = plan_prefetch(uses, around, prefetched);
    if (why.empty()) why = declared_inside(*from, around.loop);
    if (why.empty()) why = plan_gather(loop, *store, *element, around.facts);
    if (why.empty() && changes(around.loop, *loop.body)) why = kLater;
    if (why.empty())
      list.copies.push_back(prefetched), keep_names(loop, list.names);
    else
      plan_.non_pipelined.push_back({&written, why});
  }

  std::string plan_gather(const Parallel& loop, const Store& store, const Load& element,
                          const RangeAnalysis& facts) const {
    const auto shape = memory_.shape_of(store.buffer);
    const std::string into = "`" + store.buffer.str() + "`";
    if (loop.layout.known()) return "its threads are fixed (loop_layout)";
    if (!shape || shape->size() != loop.vars.size()) return "it fills a part of " + into;
    for (size_t d = 0; d < shape->size(); ++d) {  // vectors are along the last
      const Name* var = as<Name>(store.dims[d].lo);
      if (!var || var->id != loop.vars[d] || int_value(loop.extents[d]) != (*shape)[d])
        return "it does not fill " + into + " row by row";
    }
    const Buffer* tensor = memory_.as_buffer(element.buffer);
    if (!tensor) return memory_.why_no_buffer(element.buffer);
    if (tensor->safe && number_value(tensor->safe) != 0.0)
      return "outside `" + element.buffer.str() + "` its padding value is not zero";
    std::string why;
    walk(*loop.body, [&](const Node& node) {
      const Load* load = as<Load>(&node);
      const Buffer* memory = load ? memory_.base_buffer(load->buffer) : nullptr;
      if (memory && memory->scope != Scope::global)
        why = "it reads `" + load->buffer.str() + "`, which is not a tensor";
      else if (load && memory_.written(load->buffer))
        why = "the kernel writes `" + load->buffer.str() + "`";
      if (const Name* name = as<Name>(&node); name && has_local_value(name->id)) why = kLater;
      return why.empty();
    });
    if (!why.empty()) return why;
    if (varying_(loop)) return "it depends on the thread index";
    return gather_width(loop, *tensor, facts) > 0
               ? ""
               : "no vectors of 4, 8 or 16 bytes of `" + element.buffer.str() +
                     "` are aligned: rows, or the slices of them, are not multiples of that";
  }

  std::string plan_prefetch(const ListUses& uses, const Around& around, PrefetchedCopy& out) const {
    out.buffer = memory_.base_buffer(out.into);
    const std::string buffer = "`" + out.into.str() + "`";
    if (!around.together) return "not all threads reach it";
    if (!out.buffer || memory_.escapes(out.into)) return buffer + " is used by an intrinsic";
    out.views = memory_.views_of_buffer(out.buffer->name);
    const Buffer stages = as_stages(*out.buffer, out.buffer->name, 2);
    for (const View* view : out.views)
      if (!view_as_buffer(stages, as_stages(*view, 2)))
        return "the view `" + view->name.str() + "` splits contiguous elements of a stage of `" +
               out.buffer->name.str() + "`";
    if (!is_written_once(out.into) && !(out.copy && is_filled_once(out.into)))
      return buffer + " is also written elsewhere";
    const UsesInList& here = uses.of(out.buffer->name);
    if (uses_.at(out.buffer->name) > here.count) return buffer + " is used outside its loop";
    for (size_t i : here.at) {
      if (i == out.at || as<Buffer>(uses.list().stmts[i])) continue;
      if (i < out.at) return buffer + " is used before it is filled";
      if (!out.first) out.first = i;
      out.last = i;
    }
    return out.first ? "" : "nothing after it uses " + buffer;
  }

  /// A tensor whose address an iteration computes cannot be read before it.
  static std::string declared_inside(const Buffer& tensor, const For* loop) {
    const bool inside = loop && tensor.address && any_of(*loop->body, [&](const Buffer& buffer) {
                          return buffer.name == tensor.name;
                        });
    return inside ? "each iteration computes the address of `" + tensor.name.str() + "`" : "";
  }

  std::string copied(const PrefetchedCopy& one, const For* loop) const {
    const Region &src = to<Region>(one.copy->src), &dst = to<Region>(one.copy->dst);
    if (!is_whole(dst, memory_)) return "it fills a part of `" + dst.buffer.str() + "`";
    if (!memory_.as_buffer(src.buffer)) return memory_.why_no_buffer(src.buffer);
    if (std::string why = declared_inside(*memory_.base_buffer(src.buffer), loop); !why.empty())
      return why;
    if (memory_.written(src.buffer)) return "the kernel writes `" + src.buffer.str() + "`";
    for (const RegionDim& dim : src.dims)
      if (!movable(dim.lo) || changes(loop, *dim.lo)) return kLater;
    return "";
  }

  /// `in_loop`: in a pipelined loop, where loads by threads are reported as well.
  void add_non_pipelined(const Copy& copy, const std::string& why, bool in_loop) {
    if (in_loop || copy.by == CopyBy::engine || copy.by == CopyBy::async)
      plan_.non_pipelined.push_back({&copy, why, in_loop});
  }

  const Kernel& kernel_;
  const KernelMemory memory_;
  const DivergenceAnalysis varying_;
  RangeAnalysis facts_;
  std::unordered_set<Symbol> vars_, fixed_;
  std::unordered_map<Symbol, int> uses_, writers_;  // in all of the kernel
  std::unordered_map<Symbol, int> stores_;          // writers that store elements
  std::unordered_set<Symbol> not_only_sums_;        // memory with accesses other than atomic sums
  std::unordered_map<Symbol, int> assigned_;        // assignments that no other role can repeat
  mutable std::unordered_map<const For*, std::unordered_set<Symbol>> assigned_in_;  // in a loop
  Substitution names_;                                // of the enclosing lets
  std::unordered_map<const For*, Substitution> own_;  // lets of the body of a pipelined loop
  bool waited_ = false;  // a statement before may wait for other blocks
  PipelinePlan plan_;
};

}  // namespace

PipelinePlan plan_pipelines(const Func& func, const Kernel& kernel) {
  return Planner(func, kernel).run();
}

}  // namespace tilelab
