// SPDX-License-Identifier: Apache-2.0
// Branches that a range of the threads takes: distributes their operations over these threads, and
// reports operations that need the other threads.
#include "core/layout/layout.h"
#include "core/passes/infer_layouts/write.h"
#include "core/targets/target.h"

namespace tilelab {

Stmt LayoutRewriter::branches(const If& branch, const ThreadRange& threads) {
  auto inside = [&](bool is_else) -> Stmt {
    const Stmt& body = is_else ? branch.else_ : branch.then_;
    auto range = has_tile_operation(body) ? threads_of(branch, is_else, threads) : threads;
    return rewrite(body, range.value_or(threads));
  };
  If out(branch);
  out.then_ = inside(false);
  out.else_ = inside(true);
  Stmt made = make(std::move(out));
  return read_by_all(made, element_reads(*made), threads);
}

bool LayoutRewriter::reaches(Symbol fragment, const Layout& layout, const ThreadRange& threads,
                             const Node& cause) {
  if (threads == whole_ || !layout.known() || is_within(layout, threads)) return true;
  Diagnostic& message =
      problem_.context().diagnostics.report(Diag::range_fragment, cause.span, fragment);
  message.mark("for threads " + std::to_string(threads.lo) + " to " +
               std::to_string(threads.hi - 1));
  if (problem_.is_fragment(fragment)) {
    const FragmentState& state = problem_.state_of(fragment);
    message.label(state.span,
                  "its elements were distributed over threads " + std::to_string(layout.base) +
                      " to " + std::to_string(extent(layout, 't') - 1) + " here, for " + state.why);
  }
  message.help(
      "keep data that all threads or several ranges use in shared memory (T.alloc_shared)");
  return false;
}

void LayoutRewriter::check_can_sync(const ThreadRange& threads, const Node& cause,
                                    const std::string& what) {
  const Target& target = problem_.context().target;
  const bool whole_warps = threads.lo % target.lanes == 0 && threads.hi % target.lanes == 0;
  if (threads == whole_ || (whole_warps && target.has(Feature::part_sync))) return;
  problem_.context()
      .diagnostics
      .report(Diag::barrier_in_thread_range, cause.span, what, threads.lo, threads.hi - 1)
      .help("let whole warps reach it, as in `if tx < 64:`, or all threads of the block");
}

}  // namespace tilelab
