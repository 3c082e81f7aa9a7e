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

bool names(const Node& node, Symbol buffer) {
  if (const Region* n = as<Region>(&node)) return n->buffer == buffer;
  if (const Load* n = as<Load>(&node)) return n->buffer == buffer;
  if (const Store* n = as<Store>(&node)) return n->buffer == buffer;
  if (const Name* n = as<Name>(&node)) return n->id == buffer;
  if (const View* n = as<View>(&node)) return n->buffer == buffer;
  for (const Operand& operand : operands_of(node))
    if (operand.buffer == buffer) return true;
  return false;
}

bool uses(const Node& root, Symbol buffer, const Node* except = nullptr) {
  bool found = false;
  walk(root, [&](const Node& node) {
    if (&node == except) return false;
    found = found || names(node, buffer);
    return !found;
  });
  return found;
}

/// How many statements below write the buffer.
int writers(const Node& root, Symbol buffer) {
  int count = 0;
  walk(root, [&](const Node& node) {
    if (group(node.kind) == Group::expr) return false;
    for (const Effect& effect : effects(node)) count += effect.write && effect.buffer == buffer;
    return true;
  });
  return count;
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
    Substitution names;
  };

  void visit(const Stmt& stmt, Around around) {
    if (!stmt) return;
    if (const Seq* list = as<Seq>(stmt)) return sequence(*list, around);
    if (const Copy* copy = as<Copy>(stmt)) return stays(*copy, "nothing behind it uses it");
    around.together = around.together && !varying_(*stmt);
    around.loop = nullptr;
    around.again |= as<For>(stmt) || as<While>(stmt);
    if (const For* loop = as<For>(stmt)) {
      around.sliced = around.sliced && movable(loop->lo, around) && movable(loop->hi, around) &&
                      (!loop->step || movable(loop->step, around)) && !breaks(*stmt);
      around.loop = loop->stages > 0 ? loop : nullptr;
    } else if (const TileLoop* tiles = as<TileLoop>(stmt)) {
      around.sliced = around.sliced && !tiles->ring && !breaks(*stmt);
      around.tile.insert(around.tile.end(), tiles->vars.begin(), tiles->vars.end());
      for (const Expr& extent : tiles->domain)
        around.sliced = around.sliced && movable(extent, around);
    } else if (const If* branch = as<If>(stmt)) {
      around.sliced = around.sliced && movable(branch->cond, around);
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
  bool movable(const Expr& value, const Around&) const {
    bool good = !varying_(value);
    walk(*value, [&](const Node& node) {
      const Name* name = as<Name>(&node);
      good = good && !as<Load>(&node) && !as<Region>(&node) && !(name && vars_.count(name->id)) &&
             !(name && fixed_.count(name->id));
      return good;
    });
    return good;
  }

  void sequence(const Seq& list, Around around) {
    AheadList out{&list, around.loop, around.sliced, {}, {}};
    for (size_t i = 0; i < list.stmts.size(); ++i) {
      const Stmt& stmt = list.stmts[i];
      if (const Let* let = as<Let>(stmt)) bind(*let, around);
      const Copy* copy = as<Copy>(stmt);
      if (!copy) {
        Around inner = around;
        visit(stmt, inner);
        continue;
      }
      if (around.together && !around.again && stores(*copy, around)) plan_.stores.push_back(copy);
      if (copy->by != CopyBy::engine && copy->by != CopyBy::async && !loads(*copy)) continue;
      AheadCopy ahead{copy, nullptr, i, 0, 0};
      const std::string why = ahead_of(list, around, ahead);
      if (why.empty())
        out.copies.push_back(ahead);
      else
        stays(*copy, why);
    }
    out.names = around.names;
    if (!out.copies.empty()) plan_.lists.push_back(std::move(out));
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
        return mentions(substitute(dim.lo, around.names), var);
      });
    });
    return apart && writers(*kernel_.body, dst.buffer) == 1;
  }

  /// Lets are written out where a copy moves; one that can't move is a name that nobody can use.
  void bind(const Let& let, Around& around) {
    if (movable(let.value, around))
      plan_.names[let.name] = around.names[let.name] = substitute(let.value, around.names);
    else
      fixed_.insert(let.name);
  }

  std::string ahead_of(const Seq& list, const Around& around, AheadCopy& out) const {
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
      if (!movable(dim.lo, around)) return "where it reads is computed by what would come later";
    if (writers(*kernel_.body, dst.buffer) != 1) return buffer + " is written elsewhere, too";
    if (uses(*kernel_.body, dst.buffer, &list)) return buffer + " is used outside of its loop";
    for (size_t i = 0; i < list.stmts.size(); ++i) {
      const Node& stmt = *list.stmts[i];
      if (i == out.at || as<Buffer>(&stmt) || !uses(stmt, dst.buffer)) continue;
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
  PipelinePlan plan_;
};

int64_t alignment_of(const Buffer& buffer) {
  const Swizzle& s = buffer.swizzle;
  return s.known() ? int64_t{s.line} * (s.mask + 1) : 128;
}

}  // namespace

const AheadList* PipelinePlan::of(const Seq* list) const {
  for (const AheadList& each : lists)
    if (each.list == list) return &each;
  return nullptr;
}

PipelinePlan plan_pipelines(const Func& func, const Kernel& kernel) {
  return Planner(func, kernel).run();
}

Buffer as_stages(const Buffer& buffer, Symbol ring, int64_t stages) {
  Buffer out(buffer);
  if (!out.layout.known()) out.layout = row_major(const_shape(buffer));
  const int64_t align = alignment_of(buffer) / bytes(buffer.dtype);
  const int64_t slot = round_up(extent(out.layout, 'a'), align);
  out.ring = ring;
  out.shape.insert(out.shape.begin(), int_const(stages));
  out.layout.shape.insert(out.layout.shape.begin(), stages);
  out.layout.dims.insert(out.layout.dims.begin(), Digits{a_digit(stages, slot)});
  return out;
}

Stmt in_slot(const Stmt& stmt, Symbol buffer, Symbol slot) {
  auto expr = [&](const Expr& e) -> Expr {
    if (const Region* r = as<Region>(e); r && r->buffer == buffer) {
      Region out(*r);
      out.dims.insert(out.dims.begin(), point(name_ref(slot)));
      return make(std::move(out));
    }
    if (const Load* l = as<Load>(e); l && l->buffer == buffer) {
      Load out(*l);
      out.index.insert(out.index.begin(), name_ref(slot));
      return make(std::move(out));
    }
    return e;
  };
  return rewrite_exprs(stmt, expr);
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
