// SPDX-License-Identifier: Apache-2.0
// Loops of which only the last turn counts. Each turn begins a sum anew, adds to it, and nobody has
// read it when the next turn begins it again; or each turn writes over what the one before has
// written and nobody has read. Told only where all accesses in the loop are of the same elements,
// the first of a turn surely writes them all, and what a turn writes is made of nothing that the
// turns before it have left.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "core/analysis/path_conditions.h"
#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/lint/lints.h"
#include "core/lint/loop_accesses.h"

namespace tilelab {
namespace {

using How = TurnAccess::How;

/// Whether threads meet in ways that say more than the order of statements does.
bool meets_in_roles(const Kernel& kernel) {
  bool found = false;
  walk(*kernel.body, [&](const Node& node) {
    const Buffer* buffer = as<Buffer>(&node);
    found |= node.kind == Kind::Role || (buffer && buffer->scope == Scope::barrier);
    return !found;
  });
  return found;
}

class LostTurns {
 public:
  LostTurns(const Func& func, Diagnostics& diagnostics)
      : buffers_(buffers_of(func)), views_(views_of(*func.body)), diagnostics_(diagnostics) {
    for (const Stmt& param : func.params)
      if (const Buffer* tensor = as<Buffer>(to<Param>(param).tensor)) tensors_.insert(tensor->name);
    FactContext here(func);
    visit(func.body, here);
  }

 private:
  void visit(const Stmt& stmt, FactContext& here) {
    if (const Seq* list = as<Seq>(stmt)) {
      for (const Stmt& one : list->stmts) visit(one, here);
      return;
    }
    if (const Let* let = as<Let>(stmt)) return here.bind(*let);
    const Kernel* kernel = as<Kernel>(stmt);
    if (kernel && meets_in_roles(*kernel)) return;
    if (kernel) kernel_ = kernel;
    FactContext inner = here;
    inner.enter(stmt);
    for_each_child(
        *stmt, [](const Expr&) {}, [&](const Stmt& s) { visit(s, inner); });
    if (const For* loop = as<For>(stmt); loop && kernel_ && turns(*loop, here))
      look_at(*loop, here);
  }

  /// Whether the loop turns more than once, to its end, and not for the sake of the time it takes.
  static bool turns(const For& loop, const FactContext& here) {
    bool ends_early = false;
    walk(*loop.body, [&](const Node& node) {
      ends_early |= node.kind == Kind::Break || node.kind == Kind::While;
      return !ends_early;
    });
    if (ends_early || !mentions(*loop.body, loop.var)) return false;
    if (!loop.steps.empty()) return loop.steps.size() > 1;
    const auto step = int_value(loop.step);
    const Range length = here.facts.range(sub(loop.hi, loop.lo));
    return step && *step > 0 && length.hi > *step;
  }

  void look_at(const For& loop, const FactContext& here) {
    const Turn turn = turn_of(loop, buffers_, here.facts, here.lets);
    std::vector<Symbol> order;
    std::map<Symbol, std::vector<const TurnAccess*>> by_memory;
    for (const TurnAccess& access : turn.accesses) {
      auto& list = by_memory[access.memory];
      if (list.empty()) order.push_back(access.memory);
      list.push_back(&access);
    }
    for (Symbol memory : order) {
      const auto& accesses = by_memory.at(memory);
      const bool fresh = std::count(turn.declared.begin(), turn.declared.end(), memory) > 0;
      if (fresh || is_viewed(memory) || !begins(accesses) || reported_.count(accesses[0]->by))
        continue;
      if (accesses[0]->constant)
        cleared(loop, accesses);
      else if (!as<Reduce>(accesses[0]->by) && !carries(loop, memory, turn, by_memory))
        overwritten(loop, accesses);
    }
  }

  bool is_viewed(Symbol memory) const {
    return views_.count(memory) || std::any_of(views_.begin(), views_.end(), [&](const auto& view) {
             return views_.base_of(view.first) == memory;
           });
  }

  /// Whether a turn surely writes all that it touches of the memory before it reads any of it.
  static bool begins(const std::vector<const TurnAccess*>& accesses) {
    const TurnAccess& first = *accesses[0];
    if (first.how != How::write || !first.sure || first.place.empty()) return false;
    return std::all_of(accesses.begin(), accesses.end(),
                       [&](const TurnAccess* a) { return first.whole || a->place == first.place; });
  }

  /// A constant, that is read or added to; what was added is read by nobody.
  void cleared(const For& loop, const std::vector<const TurnAccess*>& accesses) {
    const TurnAccess* adds = nullptr;
    bool read = false;
    for (const TurnAccess* access : accesses) {
      if (access->how == How::update && !adds) adds = access;
      if (access->how == How::read && adds) return;
      if (access != accesses[0] && access->how == How::write) return;
      read |= access->how == How::read;
    }
    const TurnAccess& first = *accesses[0];
    if (!adds || reads_of_earlier(accesses) || !(read || is_read_outside(loop, first.memory)))
      return;
    reported_.insert(first.by);
    diagnostics_.report(usage::cleared_sums, first.span, first.memory)
        .label(loop.span, "in this loop")
        .label(adds->span, "what is added here is lost, but for the last turn")
        .help("move it in front of the loop");
  }

  /// Whether a loop inside reads, before it adds, what its own turns before have added.
  static bool reads_of_earlier(const std::vector<const TurnAccess*>& accesses) {
    std::unordered_set<const Node*> adding;
    for (const TurnAccess* access : accesses)
      if (access->how == How::update) adding.insert(access->within);
    return std::any_of(accesses.begin(), accesses.end(), [&](const TurnAccess* access) {
      return access->how == How::read && access->within && adding.count(access->within) > 0;
    });
  }

  void overwritten(const For& loop, const std::vector<const TurnAccess*>& accesses) {
    for (const TurnAccess* access : accesses)
      if (access->how == How::read) return;
    const TurnAccess& first = *accesses[0];
    if (!is_read_outside(loop, first.memory)) return;
    for (const TurnAccess* access : accesses) reported_.insert(access->by);
    diagnostics_.report(usage::turns_overwritten, first.span, first.memory)
        .label(loop.span, "in this loop")
        .help(what_to_do(*first.by, first.memory));
  }

  static std::string what_to_do(const Node& by, Symbol memory) {
    const std::string name = memory.str();
    if (as<Gemm>(&by))
      return "to add to what it holds: no clear_accum, and T.clear(" + name +
             ") in front of the loop";
    if (as<Copy>(&by)) return "move what uses `" + name + "` into the loop";
    return "to add to what it holds: `+=`, and `" + name + "` is set in front of the loop";
  }

  /// Whether what a turn writes to the memory is made of something that turns before it have left,
  /// or of nothing that changes from turn to turn.
  static bool carries(const For& loop, Symbol memory, const Turn& turn,
                      const std::map<Symbol, std::vector<const TurnAccess*>>& by_memory) {
    std::set<Symbol> seen{memory};
    std::vector<Symbol> open{memory};
    bool changes = false;
    while (!open.empty()) {
      const Symbol name = open.back();
      open.pop_back();
      changes |= name == loop.var;
      auto found = by_memory.find(name);
      if (found == by_memory.end()) continue;
      bool written = false;
      for (const TurnAccess* access : found->second) {
        if (access->how == How::read) continue;
        written = true;
        for (Symbol from : access->from)
          if (seen.insert(from).second) open.push_back(from);
      }
      const bool fresh = std::count(turn.declared.begin(), turn.declared.end(), name) > 0;
      if (written && !fresh && !begins(found->second)) return true;
    }
    return !changes;
  }

  /// Whether anything but the loop reads the memory: a tensor's caller does.
  bool is_read_outside(const For& loop, Symbol memory) const {
    if (tensors_.count(memory)) return true;
    bool found = false;
    walk(*kernel_->body, [&](const Node& node) {
      if (&node == &loop || found) return false;
      if (group(node.kind) == Group::expr) {
        const Name* name = as<Name>(&node);
        found |= name && name->id == memory;
        return true;
      }
      for (const Effect& effect : effects(node))
        found |= effect.buffer == memory && (!effect.write || effect.atomic);
      return true;
    });
    return found;
  }

  BufferTable buffers_;
  BufferViews views_;
  Diagnostics& diagnostics_;
  std::set<Symbol> tensors_;
  std::unordered_set<const Node*> reported_;
  const Kernel* kernel_ = nullptr;
};

}  // namespace

void warn_of_lost_turns(const Func& func, Diagnostics& diagnostics) {
  LostTurns(func, diagnostics);
}

}  // namespace tilelab
