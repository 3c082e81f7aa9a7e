// SPDX-License-Identifier: Apache-2.0
// Fragments of matrix products that are needed at the same time and take more registers than a
// thread has. Counted from the end of a kernel to its front: a fragment is needed from where it is
// written, and not read, to where it is read last. What else a thread holds (other fragments, of
// which parts may be all that is used, addresses, the operation's own) is left out, and a part that
// is written counts as the whole: what is told here does not fit.
#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "core/diagnostics/usage.h"
#include "core/ir/effects.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/passes/doubtful.h"
#include "core/support/round_up.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr size_t kNamed = 3;  // fragments in a message: the largest

/// 32-bit registers of each thread that hold its elements; 0: it lies elsewhere.
int64_t registers_of(const Buffer& buffer) {
  if (buffer.scope != Scope::fragment || buffer.layout.dims.empty()) return 0;
  return round_up(extent(buffer.layout, 'r') * bits(buffer.dtype), 32) / 32;
}

class NeededRegisters {
 public:
  NeededRegisters(const Stmt& body, const BufferTable& buffers)
      : buffers_(buffers), views_(views_of(*body)) {
    walk(*body, [&](const Node& node) {
      if (node.kind != Kind::Gemm) return true;
      const Touched memory = touched(node, views_);
      factors_.insert(memory.read.begin(), memory.read.end());
      factors_.insert(memory.written.begin(), memory.written.end());
      return false;
    });
    before(body, {});
  }
  int64_t most() const { return most_; }
  Span where() const { return where_; }
  const std::set<Symbol>& needed() const { return needed_; }

 private:
  using Names = std::set<Symbol>;

  /// What is needed in front of a statement, of what is needed behind it.
  Names before(const Stmt& stmt, Names after) {
    if (!stmt) return after;
    if (const Seq* list = as<Seq>(stmt)) {
      for (size_t i = list->stmts.size(); i-- > 0;) after = before(list->stmts[i], after);
      return after;
    }
    std::vector<Stmt> parts;
    const bool whole = is_operation(*stmt);
    if (!whole)
      for_each_child(
          *stmt, [](const Expr&) {}, [&](const Stmt& s) { parts.push_back(s); });
    if (parts.empty()) return before_operation(*stmt, std::move(after));
    return before_parts(*stmt, parts, after);
  }

  /// Branches and roles, of which one is run by a thread, and loops, whose end leads to their
  /// front.
  Names before_parts(const Node& stmt, const std::vector<Stmt>& parts, const Names& after) {
    const bool repeats =
        stmt.kind == Kind::For || stmt.kind == Kind::While || stmt.kind == Kind::TileLoop;
    Names in = after;
    for (int turn = 0; turn < (repeats ? 2 : 1); ++turn) {
      const Names behind = repeats ? in : after;
      for (const Stmt& part : parts) {
        Names front = before(part, behind);
        in.insert(front.begin(), front.end());
      }
    }
    return in;
  }

  Names before_operation(const Node& stmt, Names names) {
    const Touched memory = touched(stmt, views_);
    for (Symbol name : memory.written)
      if (!memory.read.count(name)) names.erase(name);
    std::set_intersection(memory.read.begin(), memory.read.end(), factors_.begin(), factors_.end(),
                          std::inserter(names, names.end()));
    count(names, stmt.span);
    return names;
  }

  /// Threads do these as a whole, whatever stands inside.
  static bool is_operation(const Node& stmt) {
    return stmt.kind == Kind::Parallel || shared_out(stmt);
  }

  void count(const Names& names, Span span) {
    int64_t sum = 0;
    for (Symbol name : names)
      if (auto found = buffers_.find(name); found != buffers_.end())
        sum += registers_of(*found->second);
    if (sum <= most_) return;
    most_ = sum, where_ = span, needed_ = names;
  }

  const BufferTable& buffers_;
  const BufferViews views_;
  Names factors_;  // and sums
  int64_t most_ = 0;
  Span where_;
  Names needed_;
};

void tell(const NeededRegisters& found, const BufferTable& buffers, int64_t limit,
          Diagnostics& diagnostics) {
  std::vector<const Buffer*> held;
  for (Symbol name : found.needed())
    if (auto at = buffers.find(name); at != buffers.end() && registers_of(*at->second) > 0)
      held.push_back(at->second);
  std::sort(held.begin(), held.end(), [](const Buffer* a, const Buffer* b) {
    const int64_t x = registers_of(*a), y = registers_of(*b);
    return x != y ? x > y : a->name.str() < b->name.str();
  });
  Diagnostic& told =
      diagnostics.report(usage::registers_spilled, found.where(), found.most(), limit);
  for (size_t i = 0; i < std::min(held.size(), kNamed); ++i)
    told.label(held[i]->span, plural(registers_of(*held[i]), "register") + " of a thread");
  told.help(
      "with twice the threads of T.Kernel each holds half of a tile; else take smaller tiles, or "
      "write one of them where another is no longer needed");
}

}  // namespace

void warn_of_spilled_registers(const Func& func, const Target& target, Diagnostics& diagnostics) {
  if (target.thread_registers == 0) return;
  const BufferTable buffers = buffers_of(func);
  walk(*func.body, [&](const Node& node) {
    const Kernel* kernel = as<Kernel>(&node);
    if (!kernel) return node.kind == Kind::Seq;
    const NeededRegisters found(kernel->body, buffers);
    if (found.most() > target.thread_registers)
      tell(found, buffers, target.thread_registers, diagnostics);
    return false;
  });
}

}  // namespace tilelab
