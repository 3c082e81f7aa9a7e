// SPDX-License-Identifier: Apache-2.0
#include "core/lint/lints.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/analysis/bindings.h"
#include "core/analysis/effects.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

/// Forward dataflow analysis of the names whose value an iteration has assigned, each with its
/// loop. A join takes the union.
class ParallelValues {
 public:
  ParallelValues(const Kernel& kernel, Diagnostics& sink) : sink_(sink) {
    for (const auto& [name, buffer] : buffers_of(kernel.body))
      if (buffer->scope == Scope::local) locals_.insert(name);
  }

  void visit(const Stmt& stmt) {
    if (!stmt) return;
    reads(*stmt);
    for_each_bound(*stmt, [&](Symbol name) { foreign_.erase(name); });  // a sibling scope's name
    if (const Parallel* loop = as<Parallel>(stmt)) return parallel(*loop);
    if (as<For>(stmt) || as<While>(stmt)) return loop(*stmt);
    if (const If* branch = as<If>(stmt)) return branches(*branch);
    if (as<Break>(stmt)) return add(left_by_break_, foreign_);
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s); });
    writes(*stmt);
  }

 private:
  /// Names, and the loop whose iterations have assigned them.
  using Names = std::unordered_map<Symbol, const Parallel*>;

  static void add(Names& into, const Names& from) { into.insert(from.begin(), from.end()); }

  /// Checks the reads of the statement's own expressions.
  void reads(const Node& stmt) {
    auto place = [&](const Span& own) { return own.known() ? own : stmt.span; };
    for_each_expr(stmt, [&](const Expr& e) {
      for_each(*e, [&](const Name& name) { read(name.id, place(name.span)); });
    });
    for (const Effect& e : effects(stmt))
      if (!e.write) read(e.buffer, place(e.span));
  }

  void read(Symbol name, Span at) {
    auto found = foreign_.find(name);
    if (found == foreign_.end() || !reported_.insert(name).second) return;
    const bool inside = found->second == parallel_;
    sink_.report(Diag::parallel_value, at, name)
        .label(found->second->span,
               "its iterations assign `" + name.str() + "`, each a separate copy")
        .help(inside ? "assign it before this, in the loop; compute sums over iterations with "
                       "T.reduce_sum or T.alloc_reducer"
                     : "keep the values of the iterations in a fragment (T.alloc_fragment), or "
                       "make the loop T.serial");
  }

  /// A write kills the names that it writes.
  void writes(const Node& stmt) {
    for (const Symbol name : written(stmt)) foreign_.erase(name);
  }

  static std::vector<Symbol> written(const Node& stmt) {
    std::vector<Symbol> out;
    if (const Assign* assign = as<Assign>(&stmt)) out.push_back(assign->name);
    if (const Var* var = as<Var>(&stmt)) out.push_back(var->name);
    if (const Buffer* made = as<Buffer>(&stmt)) out.push_back(made->name);
    for (const Effect& e : effects(stmt))
      if (e.write) out.push_back(e.buffer);
    return out;
  }

  void branches(const If& branch) {
    const Names before = foreign_;
    visit(branch.then_);
    const Names after_then = std::exchange(foreign_, before);
    visit(branch.else_);
    add(foreign_, after_then);
  }

  /// The body may follow another iteration, which matters if an iteration assigns names. Zero
  /// iterations are considered for variables only; memory is filled and read by loops of one
  /// extent.
  void loop(const Node& stmt) {
    const Names around = std::exchange(left_by_break_, {});
    for (bool again = true; again;) {
      const Names before = foreign_;
      for_each_stmt(stmt, [&](const Stmt& s) { visit(s); });
      again = std::any_of(foreign_.begin(), foreign_.end(),
                          [&](const auto& f) { return !before.count(f.first); });
      for (const auto& [name, loop] : before)
        if (!locals_.count(name)) foreign_.emplace(name, loop);
      if (again) reads(stmt);
    }
    add(foreign_, left_by_break_);
    left_by_break_ = around;
  }

  void parallel(const Parallel& loop) {
    const Names before = foreign_;
    Names own;  // of the loop's iterations, declared outside
    std::unordered_set<Symbol> inside;
    walk(*loop.body, [&](const Node& node) {
      if (group(node.kind) == Group::expr) return false;
      const bool declares = group(node.kind) == Group::decl;
      for (const Symbol name : written(node)) {
        if (declares)
          inside.insert(name);
        else if (!inside.count(name) && (as<Assign>(&node) || locals_.count(name)))
          own.emplace(name, &loop);
      }
      return true;
    });
    for (const auto& [name, by] : own) foreign_[name] = by;
    parallel_ = &loop;
    visit(loop.body);
    parallel_ = nullptr;
    foreign_ = before;
    for (const auto& [name, by] : own) foreign_[name] = by;
  }

  Diagnostics& sink_;
  Names foreign_, left_by_break_;
  std::unordered_set<Symbol> locals_;  // memory of single threads
  std::unordered_set<Symbol> reported_;
  const Parallel* parallel_ = nullptr;
};

}  // namespace

void verify_parallel_values(const Kernel& kernel, Diagnostics& sink) {
  ParallelValues(kernel, sink).visit(kernel.body);
}

}  // namespace tilelab
