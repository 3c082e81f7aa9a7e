// SPDX-License-Identifier: Apache-2.0
// A pipelined loop whose program says itself when its statements run: T.Pipelined(order=, stage=).
// Of turn k a statement of stage s runs at time k + s; the statements of one time run in the order
// of their places.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/effects.h"
#include "core/ir/func.h"
#include "core/ir/traverse.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"

namespace tilelab {

/// Whether the loop has a stage and a place for its statements.
bool has_order(const For& loop);

struct LoopOrder {
  struct Part {
    Stmt stmt;
    int64_t stage = 0, place = 0;
    std::set<Symbol> read, written;  // memory, and names that are assigned
    std::pair<int64_t, int64_t> time() const { return {stage, place}; }
  };
  std::vector<Part> parts;         // statements with a stage, in the order of the text
  std::vector<Stmt> declarations;  // in front of the loop
  Substitution lets;               // values that any time can compute anew
  int64_t last = 0;                // of the stages

  /// A name that both use and one of them changes; empty where there is none.
  static Symbol shared(const Part& a, const Part& b);
};

/// The loop's schedule; null with what is wrong with its lists.
std::optional<LoopOrder> order_of(const For& loop, const BufferViews& views, std::string* wrong);
/// A pair of parts of which the second one needs what the first one does, and runs before it.
struct Overtaken {
  const LoopOrder::Part *first = nullptr, *second = nullptr;
  Symbol name;
};
std::optional<Overtaken> overtaken(const LoopOrder& order);
/// Reports what is wrong with the order that a program gives its loop.
void verify_order(const For& loop, const BufferViews& views, Diagnostics& sink);

/// Loops in the order that their programs say, copies from tensors through rings of groups; why the
/// compiler orders one itself is a warning.
Scheduled schedule_ordered(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                           const Target& target, PassContext& context);

}  // namespace tilelab
