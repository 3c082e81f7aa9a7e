// SPDX-License-Identifier: Apache-2.0
// Fragments that are live at the same time and need more registers than a thread has. Liveness by a
// backward walk: a fragment is live from a write that does not read it to its last read. Counted
// are operands of matmuls, everywhere, and other fragments that are used as a whole, where they are
// live across a matmul or a reduction: a compiler may interleave other operations, so that only a
// part of their fragments is live. Other registers of a thread (addresses, temporaries) are
// ignored, and a partial write kills the whole fragment, so the analysis has no false positives.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/analysis/effects.h"
#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/lint/lints.h"
#include "core/support/extents.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr size_t kNamed = 3;  // fragments in a message: the largest

/// 32-bit registers of each thread that hold its elements; 0: not in registers.
int64_t registers_of(const Buffer& buffer) {
  if (buffer.scope != Scope::fragment || buffer.layout.dims.empty()) return 0;
  return round_up(extent(buffer.layout, 'r') * bits(buffer.dtype), 32) / 32;
}

class LiveRegisters {
 public:
  LiveRegisters(const Stmt& body, const BufferTable& buffers)
      : buffers_(buffers), views_(views_of(*body)) {
    bool collective = false;
    walk(*body, [&](const Node& node) {
      collective |= is_collective(node);
      for (const Operand& operand : operands_of(node))
        if (node.kind == Kind::Gemm || is_whole(operand))
          (node.kind == Kind::Gemm ? factors_ : whole_).insert(views_.base_of(operand.buffer));
      return true;
    });
    if (collective) count_live(body, {});
  }
  int64_t most() const { return most_; }
  Span where() const { return where_; }
  const std::set<Symbol>& live() const { return live_; }

 private:
  using Names = std::set<Symbol>;

  /// The live-in set of a statement, given its live-out set.
  Names count_live(const Stmt& stmt, Names after) {
    if (!stmt) return after;
    if (const Seq* list = as<Seq>(stmt)) {
      Names roles_live_out;  // of a role and concurrent roles: no thread is in two of them
      for (size_t i = list->stmts.size(); i-- > 0;) {
        const bool role = list->stmts[i]->kind == Kind::Role;
        if (role && (i + 1 == list->stmts.size() || list->stmts[i + 1]->kind != Kind::Role))
          roles_live_out = after;
        if (role)
          join(after, count_live(list->stmts[i], roles_live_out));
        else
          after = count_live(list->stmts[i], after);
      }
      return after;
    }
    const std::vector<Stmt> parts = parts_of(*stmt);
    if (parts.empty()) return count_operation(*stmt, std::move(after), true);
    if (repeats(*stmt)) join(after, upward_exposed(*stmt));
    Names in = after;
    for (const Stmt& part : parts) join(in, count_live(part, after));
    return in;
  }

  /// The same for one iteration of each loop, without counting.
  Names live_in(const Stmt& stmt, Names names) {
    if (!stmt) return names;
    if (const Seq* list = as<Seq>(stmt)) {
      for (size_t i = list->stmts.size(); i-- > 0;) names = live_in(list->stmts[i], names);
      return names;
    }
    if (parts_of(*stmt).empty()) return count_operation(*stmt, std::move(names), false);
    join(names, upward_exposed(*stmt));
    return names;
  }

  /// The upward-exposed uses of branches, roles and loops; cached for enclosing loops.
  const Names& upward_exposed(const Node& stmt) {
    if (auto found = upward_exposed_.find(&stmt); found != upward_exposed_.end())
      return found->second;
    Names names;
    for (const Stmt& part : parts_of(stmt)) join(names, live_in(part, {}));
    return upward_exposed_[&stmt] = std::move(names);
  }

  /// The statements nested in branches, roles and loops; none for an operation.
  static std::vector<Stmt> parts_of(const Node& stmt) {
    std::vector<Stmt> parts;
    if (!is_operation(stmt)) for_each_stmt(stmt, [&](const Stmt& s) { parts.push_back(s); });
    return parts;
  }

  /// Whether it has a back edge.
  static bool repeats(const Node& stmt) {
    return stmt.kind == Kind::For || stmt.kind == Kind::While || stmt.kind == Kind::TileLoop;
  }

  static void join(Names& into, const Names& more) { into.insert(more.begin(), more.end()); }

  /// Whether threads exchange values, so that all of a fragment is in registers.
  static bool is_collective(const Node& stmt) {
    return stmt.kind == Kind::Gemm || stmt.kind == Kind::Reduce;
  }

  /// Whether it names all elements of a fragment.
  bool is_whole(const Operand& operand) const {
    auto found = buffers_.find(operand.buffer);
    if (!operand.region || found == buffers_.end()) return false;
    const Buffer& buffer = *found->second;
    bool whole =
        buffer.scope == Scope::fragment && operand.region->dims.size() == buffer.shape.size();
    for (size_t d = 0; whole && d < buffer.shape.size(); ++d)
      whole = operand.region->dims[d].extent == int_value(buffer.shape[d]);
    return whole;
  }

  Names count_operation(const Node& stmt, Names names, bool counts) {
    const Names after = counts && is_collective(stmt) ? names : Names();
    if (const Buffer* declared = as<Buffer>(&stmt)) names.erase(declared->name);
    Touched memory = touched(stmt, views_);
    const Gemm* gemm = as<Gemm>(&stmt);
    if (gemm && int_value(gemm->clear).value_or(0) != 0)  // the previous accumulator is dead
      memory.read.erase(views_.base_of(to<Region>(gemm->c).buffer));
    for (Symbol name : memory.written)
      if (!memory.read.count(name)) names.erase(name);
    for (Symbol name : memory.read)
      if (factors_.count(name) || whole_.count(name)) names.insert(name);
    if (!counts) return names;
    Names held;
    for (Symbol name : names)
      if (factors_.count(name) || (after.count(name) && whole_.count(name))) held.insert(name);
    count(held, stmt.span);
    return names;
  }

  /// Operations that threads execute as a whole, whatever they contain.
  static bool is_operation(const Node& stmt) {
    return stmt.kind == Kind::Parallel || distributed_over_threads(stmt);
  }

  void count(const Names& names, Span span) {
    int64_t sum = 0;
    for (Symbol name : names)
      if (auto found = buffers_.find(name); found != buffers_.end())
        sum += registers_of(*found->second);
    if (sum <= most_) return;
    most_ = sum, where_ = span, live_ = names;
  }

  const BufferTable& buffers_;
  const BufferViews views_;
  Names factors_;  // and accumulators
  Names whole_;    // other fragments that an operation uses as a whole
  std::unordered_map<const Node*, Names> upward_exposed_;
  int64_t most_ = 0;
  Span where_;
  Names live_;
};

void report_pressure(const LiveRegisters& found, const BufferTable& buffers, int64_t limit,
                     Diagnostics& diagnostics) {
  std::vector<const Buffer*> held;
  for (Symbol name : found.live())
    if (auto at = buffers.find(name); at != buffers.end() && registers_of(*at->second) > 0)
      held.push_back(at->second);
  std::sort(held.begin(), held.end(), [](const Buffer* a, const Buffer* b) {
    const int64_t x = registers_of(*a), y = registers_of(*b);
    return x != y ? x > y : a->name.str() < b->name.str();
  });
  Diagnostic& message =
      diagnostics.report(usage::registers_spilled, found.where(), found.most(), limit);
  for (size_t i = 0; i < std::min(held.size(), kNamed); ++i)
    message.label(held[i]->span, plural(registers_of(*held[i]), "register") + " of a thread");
  message.help(
      "use twice the threads in T.Kernel, so that each holds half as much; or use smaller tiles, "
      "or write one of them where another is dead");
}

}  // namespace

void warn_of_spilled_registers(const Func& func, const Target& target, Diagnostics& diagnostics) {
  if (target.thread_registers == 0) return;
  const BufferTable buffers = buffers_of(func);
  for_each_of_host(func, [&](const Kernel& kernel) {
    const LiveRegisters found(kernel.body, buffers);
    if (found.most() > target.thread_registers)
      report_pressure(found, buffers, target.thread_registers, diagnostics);
  });
}

}  // namespace tilelab
