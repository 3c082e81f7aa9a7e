// SPDX-License-Identifier: Apache-2.0
#include "core/passes/pipeline_plan.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/build.h"
#include "core/ir/effects.h"
#include "core/layout/layout.h"
#include "core/support/round_up.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// Calls `f` with every name that the node itself uses.
template <class F> void for_each_use(const Node& node, F&& f) {
  if (const Region* n = as<Region>(&node)) f(n->buffer);
  if (const Load* n = as<Load>(&node)) f(n->buffer);
  if (const Store* n = as<Store>(&node)) f(n->buffer);
  if (const Name* n = as<Name>(&node)) f(n->id);
  if (const View* n = as<View>(&node)) f(n->buffer);
  for (const Operand& operand : operands_of(node)) f(operand.buffer);
}

/// Where the statements of a list use a name: how often, and in which of them, in order.
struct UsesInList {
  int count = 0;
  std::vector<size_t> at;
};

std::unordered_map<Symbol, UsesInList> uses_in(const Seq& list) {
  std::unordered_map<Symbol, UsesInList> out;
  for (size_t i = 0; i < list.stmts.size(); ++i)
    walk(*list.stmts[i], [&](const Node& node) {
      for_each_use(node, [&](Symbol name) {
        UsesInList& uses = out[name];
        ++uses.count;
        if (uses.at.empty() || uses.at.back() != i) uses.at.push_back(i);
      });
      return true;
    });
  return out;
}

class Planner {
 public:
  Planner(const Func& func, const Kernel& kernel)
      : kernel_(kernel), memory_(func, kernel), varying_(kernel) {
    walk(*kernel.body, [&](const Node& node) {
      if (const Var* var = as<Var>(&node)) vars_.insert(var->name);
      if (as<Role>(&node) || as<Ring>(&node)) plan_.own_order = "it has roles and rings already";
      if (const Call* call = as<Call>(&node)) {
        const Step step = info(call->intrinsic).step;
        const bool orders = step != Step::none && step != Step::atomic;
        if (orders) plan_.own_order = "the kernel calls " + std::string(name(call->intrinsic));
      }
      for_each_use(node, [&](Symbol name) { ++uses_[name]; });
      if (group(node.kind) == Group::expr) return true;
      for (const Effect& effect : effects(node)) writers_[effect.buffer] += effect.write;
      return true;
    });
  }

  PipelinePlan run() {
    visit(kernel_.body, Around());
    return std::move(plan_);
  }

 private:
  /// What is around a statement. `together`: all threads come, equally often; `sliced`: another
  /// role can run the same control flow; `tile`: variables of persistent loops.
  struct Around {
    const For* loop = nullptr;  // whose body this is
    bool together = true, sliced = true;
    bool again = false;  // a turn may store where another one has stored
    std::vector<Symbol> tile;
  };

  /// What a list's statements use, found out when first asked for.
  class Uses {
   public:
    explicit Uses(const Seq& list) : list_(list) {}
    const Seq& list() const { return list_; }
    const UsesInList& of(Symbol name) const {
      if (!found_) found_ = uses_in(list_);
      static const UsesInList kNone;
      auto it = found_->find(name);
      return it == found_->end() ? kNone : it->second;
    }

   private:
    const Seq& list_;
    mutable std::optional<std::unordered_map<Symbol, UsesInList>> found_;
  };

  void visit(const Stmt& stmt, Around around) {
    if (!stmt) return;
    if (const Seq* list = as<Seq>(stmt)) return sequence(*list, around);
    if (const Copy* copy = as<Copy>(stmt)) return stays(*copy, "nothing behind it uses it");
    around.together = around.together && !varying_(*stmt);
    around.loop = nullptr;
    around.again |= as<For>(stmt) || as<While>(stmt);
    if (const For* loop = as<For>(stmt)) {
      around.sliced = around.sliced && movable(loop->lo) && movable(loop->hi) &&
                      (!loop->step || movable(loop->step)) && !breaks(*stmt);
      around.loop = loop->stages > 0 ? loop : nullptr;
    } else if (const TileLoop* tiles = as<TileLoop>(stmt)) {
      around.sliced = around.sliced && !tiles->ring && !breaks(*stmt);
      around.tile.insert(around.tile.end(), tiles->vars.begin(), tiles->vars.end());
      for (const Expr& extent : tiles->domain) around.sliced = around.sliced && movable(extent);
    } else if (const If* branch = as<If>(stmt)) {
      around.sliced = around.sliced && movable(branch->cond);
    } else {
      around.sliced = false;
    }
    for_each_child(
        *stmt, [](const Expr&) {}, [&](const Stmt& s) { visit(s, around); });
  }

  static bool breaks(const Node& loop) {
    bool found = false;
    walk(loop, [&](const Node& node) {
      found |= node.kind == Kind::Break;
      return !found && group(node.kind) != Group::expr;
    });
    return found;
  }

  /// Whether the value is the same wherever it is computed: of names that nobody assigns.
  bool movable(const Expr& value) const {
    bool good = !varying_(value);
    walk(*value, [&](const Node& node) {
      const Name* name = as<Name>(&node);
      good = good && !as<Load>(&node) && !as<Region>(&node) && !(name && vars_.count(name->id)) &&
             !(name && fixed_.count(name->id));
      return good;
    });
    return good;
  }

  void sequence(const Seq& list, const Around& around) {
    AheadList out{&list, around.loop, around.sliced, {}, {}};
    const Uses uses(list);
    std::vector<std::pair<Symbol, Expr>> bound;  // here, and what the name meant around it
    for (size_t i = 0; i < list.stmts.size(); ++i) {
      const Stmt& stmt = list.stmts[i];
      if (const Let* let = as<Let>(stmt)) bind(*let, bound);
      const Copy* copy = as<Copy>(stmt);
      if (!copy) {
        visit(stmt, around);
        continue;
      }
      if (around.together && !around.again && stores(*copy, around)) plan_.stores.push_back(copy);
      if (copy->by != CopyBy::engine && copy->by != CopyBy::async && !loads(*copy)) continue;
      AheadCopy ahead{copy, nullptr, i, 0, 0};
      const std::string why = ahead_of(uses, around, ahead);
      if (why.empty())
        out.copies.push_back(ahead), keep_names(*copy, out.names);
      else
        stays(*copy, why);
    }
    for (auto& [name, before] : bound) {
      if (before)
        names_[name] = before;
      else
        names_.erase(name);
    }
    if (!out.copies.empty()) plan_.lists.push_back(std::move(out));
  }

  bool is_written_once(Symbol buffer) const {
    auto it = writers_.find(buffer);
    return it != writers_.end() && it->second == 1;
  }

  /// From a tensor to shared memory.
  bool loads(const Copy& copy) const {
    const Buffer *from = memory_.buffer(to<Region>(copy.src)),
                 *into = memory_.buffer(to<Region>(copy.dst));
    return from && into && from->scope == Scope::global && into->scope == Scope::shared;
  }

  /// From a fragment to a tensor, in each tile to another place, which nothing else writes.
  bool stores(const Copy& copy, const Around& around) const {
    const Region& dst = to<Region>(copy.dst);
    const Buffer *from = memory_.buffer(to<Region>(copy.src)), *into = memory_.buffer(dst);
    if (!from || !into || from->scope != Scope::fragment || into->scope != Scope::global)
      return false;
    const bool apart = std::all_of(around.tile.begin(), around.tile.end(), [&](Symbol var) {
      return std::any_of(dst.dims.begin(), dst.dims.end(), [&](const RegionDim& dim) {
        return mentions(substitute(dim.lo, names_), var);
      });
    });
    return apart && is_written_once(dst.buffer);
  }

  /// Lets are written out where a copy moves; one that can't move is a name that nobody can use.
  void bind(const Let& let, std::vector<std::pair<Symbol, Expr>>& bound) {
    Expr value = movable(let.value) ? substitute(let.value, names_) : nullptr;
    if (!value || !is_smaller(*value, kLongestLet)) {
      fixed_.insert(let.name);
      return;
    }
    Expr& name = names_[let.name];
    bound.emplace_back(let.name, name);
    plan_.names[let.name] = name = std::move(value);
  }

  /// The lets that the copy's regions name.
  void keep_names(const Copy& copy, Substitution& out) const {
    for (const Expr* side : {&copy.src, &copy.dst})
      walk(**side, [&](const Node& node) {
        const Name* name = as<Name>(&node);
        if (auto it = name ? names_.find(name->id) : names_.end(); it != names_.end())
          out.insert(*it);
        return true;
      });
  }

  std::string ahead_of(const Uses& uses, const Around& around, AheadCopy& out) const {
    const Copy& copy = *out.copy;
    const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
    out.buffer = memory_.buffer(dst);
    const std::string buffer = "`" + dst.buffer.str() + "`";
    if (!around.together) return "not all threads come to it";
    if (!out.buffer || memory_.seen_otherwise(dst.buffer))
      return buffer + " is used by a view or an intrinsic";
    for (size_t d = 0; d < dst.dims.size(); ++d)
      if (dst.dims[d].extent != int_value(out.buffer->shape[d]) || !is_int(dst.dims[d].lo, 0))
        return "it fills a part of " + buffer;
    if (memory_.written(src.buffer)) return "the kernel writes `" + src.buffer.str() + "`";
    for (const RegionDim& dim : src.dims)
      if (!movable(dim.lo)) return "where it reads is computed by what would come later";
    if (!is_written_once(dst.buffer)) return buffer + " is written elsewhere, too";
    const UsesInList& here = uses.of(dst.buffer);
    if (uses_.at(dst.buffer) > here.count) return buffer + " is used outside of its loop";
    for (size_t i : here.at) {
      if (i == out.at || as<Buffer>(uses.list().stmts[i])) continue;
      if (i < out.at) return buffer + " is used before it is filled";
      if (!out.first) out.first = i;
      out.last = i;
    }
    return out.first ? "" : "nothing behind it uses " + buffer;
  }

  void stays(const Copy& copy, const std::string& why) {
    if (copy.by == CopyBy::engine || copy.by == CopyBy::async)
      plan_.staying.push_back({&copy, why});
  }

  const Kernel& kernel_;
  const KernelMemory memory_;
  const Varying varying_;
  std::unordered_set<Symbol> vars_, fixed_;
  std::unordered_map<Symbol, int> uses_, writers_;  // in all of the kernel
  Substitution names_;                              // of the lets around a statement
  PipelinePlan plan_;
};

int64_t alignment_of(const Buffer& buffer) {
  const Swizzle& s = buffer.swizzle;
  return s.known() ? int64_t{s.line} * (s.mask + 1) : 128;
}

}  // namespace

PipelinePlan plan_pipelines(const Func& func, const Kernel& kernel) {
  return Planner(func, kernel).run();
}

Buffer as_stages(const Buffer& buffer, Symbol ring, int64_t stages) {
  Buffer out(buffer);
  if (!out.layout.known()) out.layout = row_major(const_shape(buffer));
  const int64_t align = alignment_of(buffer) / bytes(buffer.dtype);
  const int64_t slot = round_up(extent(out.layout, 'a'), align);
  out.ring = ring;
  if (out.where.known()) {  // a stage behind the other
    const int64_t pitch = round_up(out.where.extents[0], align);
    const Symbol stage = out.where.names[0].str() + "_stage";
    Expr& place = out.where.places[0];
    out.where.names.insert(out.where.names.begin(), stage);
    place = add(mul(name_ref(stage, {DType::i32}), int_const(pitch)), place);
    out.where.extents[0] += (stages - 1) * pitch;
  }
  out.shape.insert(out.shape.begin(), int_const(stages));
  out.layout.shape.insert(out.layout.shape.begin(), stages);
  out.layout.dims.insert(out.layout.dims.begin(), Digits{a_digit(stages, slot)});
  return out;
}

Stmt in_slots(const Stmt& stmt, const std::unordered_map<Symbol, Symbol>& slots) {
  auto expr = [&](const Expr& e) -> Expr {
    const Region* r = as<Region>(e);
    const Load* l = as<Load>(e);
    auto it = r ? slots.find(r->buffer) : l ? slots.find(l->buffer) : slots.end();
    if (it == slots.end()) return e;
    if (l) {
      Load out(*l);
      out.index.insert(out.index.begin(), name_ref(it->second));
      return make(std::move(out));
    }
    Region out(*r);
    out.dims.insert(out.dims.begin(), point(name_ref(it->second)));
    return make(std::move(out));
  };
  return rewrite_exprs(stmt, expr);
}

Stmt with_own_memory(const Stmt& stmt, std::unordered_map<Symbol, int>& taken) {
  std::unordered_map<Symbol, Symbol> names;
  walk(*stmt, [&](const Node& node) {
    const Buffer* buffer = as<Buffer>(&node);
    const View* view = as<View>(&node);
    if (buffer || view) {
      const Symbol name = buffer ? buffer->name : view->name;
      names[name] = fresh_name(name, taken);
    }
    return group(node.kind) != Group::expr;
  });
  return names.empty() ? stmt : rename(stmt, names);
}

bool stages_fit(const Kernel& kernel, const Target& target, const std::map<Symbol, int64_t>& stages,
                int64_t more) {
  int64_t sum = more, barriers = 0;
  walk(*kernel.body, [&](const Node& node) {
    const Buffer* buffer = as<Buffer>(&node);
    if (buffer && buffer->scope == Scope::shared) {
      auto it = stages.find(buffer->name);
      const int64_t slots = it == stages.end() ? 1 : it->second;
      sum += slots * round_up(allocated_bytes(*buffer), alignment_of(*buffer));
      barriers += it == stages.end() ? 0 : 2 * slots;
    }
    return group(node.kind) != Group::expr;
  });
  if (target.barriers.limit > 0 && barriers > target.barriers.limit) return false;
  return sum + barriers * target.barriers.bytes <= target.shared_bytes;
}

Stmt ring_op(RingOpKind op, Symbol ring, Symbol slot) {
  RingOp out;
  out.op = op, out.ring = ring, out.slot = slot;
  return make(std::move(out));
}

bool is_ring_op(const Stmt& stmt, RingOpKind kind) {
  const RingOp* op = as<RingOp>(stmt);
  return op && op->op == kind;
}

}  // namespace tilelab
