// SPDX-License-Identifier: Apache-2.0
// Barriers at which threads or copies arrive, but for which no thread waits.
#include <map>
#include <set>

#include "core/diagnostics/usage.h"
#include "core/ir/traverse.h"
#include "core/lint/lints.h"

namespace tilelab {

void warn_of_unwaited_barriers(const Func& func, Diagnostics& diagnostics) {
  struct Arrival {
    Span span;
    bool copies = false;
  };
  std::map<Symbol, Arrival> arrived;
  std::vector<Symbol> order;
  std::set<Symbol> used;  // in a way that waits, or may
  const BufferViews views = views_of(*func.body);
  auto arrives = [&](const Expr& barrier, Span span, bool copies) {
    const Region* region = as<Region>(barrier);
    if (region && arrived.emplace(views.base_of(region->buffer), Arrival{span, copies}).second)
      order.push_back(views.base_of(region->buffer));
  };
  Span at;
  walk(*func.body, [&](const Node& node) {
    if (group(node.kind) != Group::expr) at = node.span;
    if (const Copy* copy = as<Copy>(&node); copy && copy->barrier)
      arrives(copy->barrier, copy->span, true);
    const Call* call = as<Call>(&node);
    if (!call) return true;
    const Step step = info(call->intrinsic).step;
    for (size_t i = 0; i < call->args.size(); ++i) {
      const Region* region = as<Region>(call->args[i]);
      if (!region) continue;
      if (i == 0 && step == Step::arrive)
        arrives(call->args[i], at, false);
      else if (step != Step::setup)
        used.insert(views.base_of(region->buffer));
    }
    return true;
  });
  const BufferTable buffers = buffers_of(func);
  for (Symbol name : order) {
    auto buffer = buffers.find(name);
    if (used.count(name) || buffer == buffers.end() || buffer->second->scope != Scope::barrier)
      continue;
    const Arrival& arrival = arrived.at(name);
    Diagnostic& message = diagnostics.report(usage::barrier_never_awaited, arrival.span, name);
    if (buffer->second->span.known()) message.label(buffer->second->span, "declared here");
    message.help("T.barrier_wait(" + name.str() + ", 0) before the use of " +
                 (arrival.copies ? "the copy" : "the data that the arrival signals") +
                 ", alternating the phase between iterations");
  }
}

}  // namespace tilelab
