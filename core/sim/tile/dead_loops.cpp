// SPDX-License-Identifier: Apache-2.0
// Decides which dead stores are mistakes: those of successive iterations of a loop, independently
// of the kernel's data.
#include <set>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"
#include "core/sim/tile/dead_stores.h"

namespace tilelab::sim {
namespace {

/// A statement, the enclosing nodes, outermost first, and its index in program order.
struct Located {
  const Node* stmt = nullptr;
  std::vector<const Node*> around;
  int order = 0;
};

class Finder {
 public:
  Finder(const Stmt& body, Symbol memory) : views_(views_of(*body)), memory_(memory) {}

  /// The only statement at that location that writes the memory; null if there are none or several.
  Located find(const Stmt& body, const Span& span) {
    found_ = {}, count_ = order_ = 0;
    visit(body, span);
    if (count_ != 1) found_.stmt = nullptr;
    return found_;
  }
  bool touches(const Node& stmt, Symbol memory, bool write) const {
    for (const Effect& e : effects(stmt))
      if (e.write == write && views_.base_of(e.buffer) == memory) return true;
    return false;
  }
  const BufferViews& views() const { return views_; }

 private:
  void visit(const Stmt& stmt, const Span& span) {
    ++order_;
    if (stmt->span == span && touches(*stmt, memory_, true)) {
      ++count_;
      found_ = {stmt.get(), around_, order_};
    }
    around_.push_back(stmt.get());
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s, span); });
    around_.pop_back();
  }

  BufferViews views_;
  Symbol memory_;
  std::vector<const Node*> around_;
  Located found_;
  int count_ = 0, order_ = 0;
};

/// The innermost common loop that executes `by` in every iteration; null if there is none.
const For* common_loop(const Located& dead, const Located& by) {
  const For* loop = nullptr;
  for (size_t i = 0; i < by.around.size(); ++i) {
    const Node& node = *by.around[i];
    const bool shared = i < dead.around.size() && dead.around[i] == by.around[i];
    if (const For* inner = as<For>(&node); inner && shared) loop = inner;
    if (loop && (node.kind == Kind::If || node.kind == Kind::While)) loop = nullptr;
  }
  return loop;
}

/// Whether the loop ends early, repeats its work for timing, or declares the memory inside.
bool may_be_intended(const For& loop, Symbol memory) {
  return !mentions(*loop.body, loop.var) || contains<Break, While>(*loop.body) ||
         any_of(*loop.body, [&](const Buffer& buffer) { return buffer.name == memory; });
}

/// Whether the stored value is loop-carried: a backward slice within the loop.
class CarriedValue {
 public:
  CarriedValue(const For& loop, const Finder& finder) : loop_(loop), finder_(finder) {}

  bool of(const Node& stmt, Symbol memory) {
    seen_ = {memory};
    add_operands(stmt);
    memory_ = memory;
    while (!open_.empty() && !carried_) {
      const Symbol name = open_.back();
      open_.pop_back();
      follow(name);
    }
    return carried_;
  }

 private:
  void add(Symbol name) {
    carried_ |= name == memory_;  // another statement of the loop reads it
    if (seen_.insert(name).second) open_.push_back(name);
  }
  void add_operands(const Node& stmt) {
    for (const Effect& e : effects(stmt))
      if (!e.write) add(finder_.views().base_of(e.buffer));
    for_each_expr(stmt,
                  [&](const Expr& e) { for_each(*e, [&](const Name& name) { add(name.id); }); });
  }
  /// Adds all definitions of the name within the loop.
  void follow(Symbol name) {
    bool declared = false, assigned = false, updated = false, written = false;
    walk(*loop_.body, [&](const Node& node) {
      if (group(node.kind) == Group::expr) return false;
      const Var* var = as<Var>(&node);
      const Buffer* buffer = as<Buffer>(&node);
      declared |= (var && var->name == name) || (buffer && buffer->name == name);
      const Assign* assign = as<Assign>(&node);
      const Let* let = as<Let>(&node);
      assigned |= assign && assign->name == name;
      const bool stores = finder_.touches(node, name, true);
      if (stores) (finder_.touches(node, name, false) ? updated : written) = true;
      if (stores || (assign && assign->name == name) || (let && let->name == name) ||
          (var && var->name == name))
        add_operands(node);
      return true;
    });
    carried_ |= !declared && (assigned || (updated && !written));
  }

  const For& loop_;
  const Finder& finder_;
  Symbol memory_;
  std::set<Symbol> seen_;
  std::vector<Symbol> open_;
  bool carried_ = false;
};

/// Whether the statement stores a constant.
bool is_constant(const Node& stmt) {
  const Store* store = as<Store>(&stmt);
  const Fill* fill = as<Fill>(&stmt);
  return (store && as<Const>(store->value)) || (fill && as<Const>(fill->value));
}

}  // namespace

const For* loop_of_dead_store(const Stmt& body, Symbol memory, bool global,
                              const DeadStores::Pair& pair, bool* resets) {
  Finder finder(body, memory);
  const Located dead = finder.find(body, pair.dead), by = finder.find(body, pair.by);
  // Reductions are diagnosed by the compiler.
  if (!dead.stmt || !by.stmt || by.order > dead.order || as<Reduce>(by.stmt)) return nullptr;
  const For* loop = common_loop(dead, by);
  if (!loop || may_be_intended(*loop, memory)) return nullptr;
  *resets = dead.stmt != by.stmt;
  if (*resets)
    return is_constant(*by.stmt) && finder.touches(*dead.stmt, memory, false) ? loop : nullptr;
  if (!pair.changed || !(pair.read || global) || is_constant(*by.stmt)) return nullptr;
  // A scan in place overwrites what it copied before.
  if (as<Scan>(by.stmt) && finder.touches(*by.stmt, memory, false)) return nullptr;
  return CarriedValue(*loop, finder).of(*by.stmt, memory) ? nullptr : loop;
}

}  // namespace tilelab::sim
