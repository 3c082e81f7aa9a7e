// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/reducer_lifetime.h"

#include <algorithm>
#include <utility>

#include "core/analysis/effects.h"

namespace tilelab::elaborate {

/// Reports the first misuse of a reducer; null for subsequent ones.
Diagnostic* ReducerLifetimes::misuse(Symbol name, Reducer& reducer, Span span,
                                     const std::string& what) {
  if (std::exchange(reducer.reported, true)) return nullptr;
  Diagnostic& message = reporter_.report(Diag::reducer_use, span, name, what);
  message.label(reducer.made, "allocated here");
  return &message;
}

void ReducerLifetimes::open(Symbol name, Reducer& reducer, Span span, const Place& here) {
  if (reducer.stage == Reducer::Stage::made) {
    reducer.stage = Reducer::Stage::open;
    reducer.opened = span;
    reducer.scope = here.regions;
    reducer.loops = here.loops;
    reducer.depth = here.depth;
    return;
  }
  if (Diagnostic* message = misuse(name, reducer, span, "double T.reducer_init"))
    message->label(reducer.opened, "first initialized here")
        .help(
            "allocate another reducer, or put T.reducer_init, the loop and T.finalize_reducer into "
            "one loop body");
}

std::optional<size_t> ReducerLifetimes::outside_of_loops(Symbol name, const Place& here) const {
  const Reducer& reducer = reducers_.at(name);
  const bool inside = reducer.stage == Reducer::Stage::open && here.loops > reducer.loops &&
                      here.regions.size() - reducer.scope.size() == here.loops - reducer.loops;
  return inside ? std::optional(reducer.depth) : std::nullopt;
}

bool ReducerLifetimes::close(Symbol name, Span span, const Place& here) {
  Reducer& reducer = reducers_.at(name);
  Diagnostic* message = nullptr;
  const bool open = reducer.stage == Reducer::Stage::open;
  const bool inside = open && reducer.loops == here.loops &&
                      reducer.scope.size() <= here.regions.size() &&
                      std::equal(reducer.scope.begin(), reducer.scope.end(), here.regions.begin());
  if (reducer.stage == Reducer::Stage::made) {
    message = misuse(name, reducer, span, "T.finalize_reducer before T.reducer_init");
    if (message) message->help("T.reducer_init(" + name.str() + ") before the loop");
  } else if (!open) {
    message = misuse(name, reducer, span, "double T.finalize_reducer");
    if (message)
      message->label(reducer.closed, "first finalized here")
          .help("finalize it once; the result can be read several times");
  } else if (!inside) {
    message =
        misuse(name, reducer, span, "T.finalize_reducer is not in the scope of its T.reducer_init");
    if (message)
      message->label(reducer.opened, "initialized here")
          .help("put both inside or both outside the loop body or branch");
  }
  reducer.stage = Reducer::Stage::done;
  reducer.closed = span;
  return open && inside;
}

void ReducerLifetimes::update(Symbol name, Reducer& reducer, Span span, const Place& here) {
  Diagnostic* message = nullptr;
  if (reducer.stage == Reducer::Stage::made) {
    message = misuse(name, reducer, span, "updated before T.reducer_init");
    if (message) message->help("T.reducer_init(" + name.str() + ") before the loop");
  } else if (reducer.stage == Reducer::Stage::done) {
    message = misuse(name, reducer, span, "updated after T.finalize_reducer");
    if (message)
      message->label(reducer.closed, "finalized here")
          .help("finalize it after the last loop that adds to it");
  } else if (!here.parallel) {
    message = misuse(name, reducer, span, "changed outside any T.Parallel");
    if (message)
      message->help(
          "put it into a T.Parallel: outside one, the number of updates is undefined; or start "
          "with T.reducer_init(" +
          name.str() + ", value)");
  }
}

/// Checks the effect of an emitted statement on a reducer that it reads or writes.
void ReducerLifetimes::follow(Symbol name, Reducer& reducer, const Node& stmt, bool write,
                              Span span, const Place& here) {
  if (stmt.kind == Kind::Fill) return open(name, reducer, span, here);
  if (const Store* store = as<Store>(&stmt); store && store->buffer == name) {
    if (write) update(name, reducer, span, here);
    return;  // this read is part of the update
  }
  if (write) {
    if (Diagnostic* message = misuse(name, reducer, span, "written by something else"))
      message->mark("illegal store to reducer")
          .help(
              "change it only with T.reducer_init, updates in a T.Parallel and T.finalize_reducer");
    return;
  }
  if (reducer.stage == Reducer::Stage::done) return;
  if (Diagnostic* message = misuse(name, reducer, span, "read before T.finalize_reducer"))
    message->mark("illegal read of reducer: it has no value yet")
        .help("T.finalize_reducer(" + name.str() + ", result) after the loop; read the result");
}

void ReducerLifetimes::follow(const Node& stmt, Span span, const Place& here) {
  if (combining) return;
  for (const Effect& effect : effects(stmt))
    if (auto found = reducers_.find(effect.buffer); found != reducers_.end())
      follow(found->first, found->second, stmt, effect.write, span, here);
}

void ReducerLifetimes::end_kernel() {
  for (auto& [name, reducer] : reducers_)
    if (reducer.stage == Reducer::Stage::open)
      if (Diagnostic* message =
              misuse(name, reducer, reducer.opened, "initialized but never finalized"))
        message->help("T.finalize_reducer(" + name.str() +
                      ", result) after the loops that add to it; read the result");
  reducers_.clear();
}

}  // namespace tilelab::elaborate
