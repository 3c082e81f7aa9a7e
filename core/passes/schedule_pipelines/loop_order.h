// SPDX-License-Identifier: Apache-2.0
// A pipelined loop with an explicit schedule: T.Pipelined(order=, stage=). A statement of stage s
// runs iteration k at time k + s; the statements of one time run in the order of their places.
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

/// Whether the loop gives each of its statements a stage and a place.
bool has_order(const For& loop);

struct LoopOrder {
  struct Part {
    Stmt stmt;
    int64_t stage = 0, place = 0;
    std::set<Symbol> read, written;  // memory, and names that are assigned
    std::pair<int64_t, int64_t> time() const { return {stage, place}; }
  };
  std::vector<Part> parts;         // statements with a stage, in program order
  std::vector<Stmt> declarations;  // before the loop
  Substitution lets;               // values that any time can rematerialize
  int64_t last = 0;                // maximum stage

  /// A name that both use and at least one changes; empty if there is none.
  static Symbol shared(const Part& a, const Part& b);
};

/// The loop's schedule; null, with the reason in `wrong`, if its lists are invalid.
std::optional<LoopOrder> order_of(const For& loop, const BufferViews& views, std::string* wrong);
/// A violated dependence: the second part needs the result of the first and runs before it.
struct Overtaken {
  const LoopOrder::Part *first = nullptr, *second = nullptr;
  Symbol name;
};
std::optional<Overtaken> overtaken(const LoopOrder& order);
/// Diagnoses an invalid explicit schedule of a loop.
void verify_order(const For& loop, const BufferViews& views, Diagnostics& sink);

/// Schedules loops in their explicit order, with copies from tensors through rings of copy groups;
/// warns with the reason if it falls back to the compiler's order.
Scheduled schedule_ordered(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                           const Target& target, PassContext& context);

}  // namespace tilelab
