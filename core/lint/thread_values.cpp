// SPDX-License-Identifier: Apache-2.0
#include "core/lint/lints.h"

#include <unordered_set>

#include "core/analysis/bindings.h"
#include "core/analysis/divergence.h"
#include "core/analysis/statements.h"
#include "core/ir/build.h"
#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/ir/thread_range.h"

namespace tilelab {
namespace {

class ThreadValues {
 public:
  ThreadValues(const Kernel& kernel, const BufferTable& buffers, Diagnostics& sink)
      : buffers_(buffers),
        views_(views_of(*kernel.body)),
        varying_(kernel),
        threads_{0, kernel.block},
        sink_(sink) {}

  void visit(const Stmt& stmt) {
    const std::string tile = name_in_source(*stmt);
    if (parallel_)
      iteration(stmt);
    else if (!tile.empty())
      operation(stmt, tile);
    for_each_expr(*stmt, [&](const Expr& e) {
      if (const Call* call = as<Call>(e)) atomic(*call, stmt->span);
    });
    if (const Buffer* tensor = as<Buffer>(stmt); tensor && tensor->address) declared(*tensor);
    if (const Parallel* loop = as<Parallel>(stmt); loop && !parallel_) return enter(*loop);
    if (const If* branch = as<If>(stmt); branch && varying_(*stmt)) return branches(*branch);
    const bool diverges = (as<While>(stmt) || as<For>(stmt)) && varying_(*stmt);
    divergent_ += diverges;
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s); });
    divergent_ -= diverges;
  }

 private:
  Scope scope_of(Symbol name) const {
    const auto found = buffers_.find(views_.base_of(name));
    return found == buffers_.end() ? Scope::global : found->second->scope;
  }

  /// A range of the threads executes the operations of a branch together.
  void branches(const If& branch) {
    const ThreadRange all = threads_;
    for (bool is_else : {false, true}) {
      const Stmt& body = is_else ? branch.else_ : branch.then_;
      if (!body) continue;
      const auto range = threads_of(branch, is_else, all);
      threads_ = range.value_or(all), divergent_ += !range, ++branches_;
      visit(body);
      threads_ = all, divergent_ -= !range, --branches_;
    }
  }

  void enter(const Parallel& loop) {
    for (const Expr& extent : loop.extents)
      equal_in_threads(extent, loop.span, "T.Parallel",
                       "give all threads the same number of iterations");
    parallel_ = &loop;
    own_ = names_of_iterations(loop);
    visit(loop.body);
    own_.clear();
    parallel_ = nullptr;
  }

  /// The names that iterations bind or assign, each with a separate copy.
  std::unordered_set<Symbol> names_of_iterations(const Parallel& loop) const {
    std::unordered_set<Symbol> names;
    walk(*loop.body, [&](const Node& node) {
      if (group(node.kind) == Group::expr) return false;
      for_each_bound(node, [&](Symbol name) { names.insert(name); });
      if (const Assign* assign = as<Assign>(&node)) names.insert(assign->name);
      const Store* store = as<Store>(&node);
      if (store && scope_of(store->buffer) == Scope::local) names.insert(store->buffer);
      return true;
    });
    return names;
  }

  /// What an iteration reads from outside must be equal in all threads: the layout chooses which of
  /// them executes it. Nor can it exchange values with other threads.
  void iteration(const Stmt& stmt) {
    for_each_expr(*stmt, [&](const Expr& e) {
      equal_in_threads(e, stmt->span, "T.Parallel",
                       "use the loop's variables, or move the statement out of the loop");
      for_each(*e, [&](const Call& call) {
        const bool exchanges = is_shuffle(call.intrinsic) || expands_to_shuffles(call.intrinsic);
        if (!exchanges || !reported_.insert(stmt->span.line).second) return;
        sink_
            .report(Diag::parallel_tile_op, stmt->span,
                    std::string("T.") + tilelab::name(call.intrinsic))
            .label(parallel_->span, "in this T.Parallel")
            .help("move it out of the loop, to statements of single threads");
      });
    });
  }

  void operation(const Stmt& stmt, const std::string& tile) {
    if (const Scan* scan = as<Scan>(stmt)) sides(stmt, tile, scan->src, scan->dst);
    if (const Reduce* reduce = as<Reduce>(stmt)) sides(stmt, tile, reduce->src, reduce->dst);
    const auto scope = [&](Symbol name) { return scope_of(name); };
    if (divergent_ || runs_in_each_thread(*stmt, varying_, scope)) return;
    for_each_expr(*stmt, [&](const Expr& e) {
      equal_in_threads(e, stmt->span, tile,
                       "write a T.serial loop over the elements: each thread executes it");
    });
  }

  /// A reduction or scan is of memory of the block, or a reduction of memory of single threads;
  /// each thread can hold one result of the block.
  void sides(const Stmt& stmt, const std::string& tile, const Expr& src, const Expr& dst) {
    auto is_private = [&](const Expr& e) { return scope_of(to<Region>(e).buffer) == Scope::local; };
    const bool scan = as<Scan>(stmt), from = is_private(src), into = is_private(dst);
    if (scan ? !from && !into : from == into || (into && elements(to<Region>(dst)) == 1)) return;
    sink_.report(Diag::private_tile, stmt->span, tile, to<Region>(from ? src : dst).buffer)
        .help(scan ? "write the sum as a serial loop" : "use fragments: T.alloc_fragment");
  }

  /// A tensor at an address is one for all threads, which declare it together.
  void declared(const Buffer& tensor) {
    equal_in_threads(tensor.address, tensor.span, "T.make_tensor",
                     "compute the address from block indices and loop variables");
    if (branches_ == 0 || !reported_.insert(tensor.span.line).second) return;
    sink_.report(Diag::thread_value, tensor.span, "T.make_tensor in a branch of some threads")
        .help("call it before the branch");
  }

  /// An atomic operation on an element is on memory that threads share.
  void atomic(const Call& call, Span span) {
    if (info(call.intrinsic).step != Step::atomic) return;
    const Symbol name = to<Region>(call.args.at(0)).buffer;
    const Scope scope = scope_of(name);
    if (scope != Scope::local && scope != Scope::fragment) return;
    sink_
        .report(Diag::private_atomic, span, tilelab::name(call.intrinsic), name,
                scope == Scope::local ? "memory of one thread" : "a fragment")
        .help(scope == Scope::local ? "store the result: one thread alone uses this memory"
                                    : "use shared memory, T.alloc_shared, or T.reduce_sum");
  }

  /// Reports a value that differs between the threads which execute `what` together.
  void equal_in_threads(const Expr& e, Span span, const std::string& what, const char* help) {
    auto differs = [&](Symbol name) {
      return !own_.count(name) && varying_.varies_within(threads_, name);
    };
    if (threads_.count() == 1 || !reads_any(e, differs)) return;
    if (!reported_.insert(span.line).second) return;
    sink_.report(Diag::thread_value, e->span.line == span.line ? e->span : span, what).help(help);
  }

  const BufferTable& buffers_;
  const BufferViews views_;
  const DivergenceAnalysis varying_;
  ThreadRange threads_;  // that reach the statement
  int divergent_ = 0;    // enclosing conditions that are not ranges of threads
  int branches_ = 0;     // enclosing branches of some threads
  const Parallel* parallel_ = nullptr;
  std::unordered_set<Symbol> own_;         // names of its iterations
  std::unordered_set<uint32_t> reported_;  // lines
  Diagnostics& sink_;
};

}  // namespace

void verify_thread_values(const Kernel& kernel, const BufferTable& buffers, Diagnostics& sink) {
  ThreadValues(kernel, buffers, sink).visit(kernel.body);
  verify_register_indices(kernel, sink);
}

}  // namespace tilelab
