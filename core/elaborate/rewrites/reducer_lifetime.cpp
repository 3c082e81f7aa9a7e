// SPDX-License-Identifier: Apache-2.0
// The life of a reducer, statement by statement as they are emitted: made, opened once by
// T.reducer_init (or T.clear, T.fill), updated by iterations of T.Parallel, closed once by
// T.finalize_reducer in the scope where it was opened. Only then has it a value. These are
// TileLang's rules: on a GPU each thread holds a part of the sum until the parts meet.
#include <algorithm>

#include "core/analysis/effects.h"
#include "core/elaborate/elaborator.h"

namespace tilelab::elaborate {

/// Reports one misuse of a reducer, the first; null for those that follow from it.
Diagnostic* Elaborator::misuse(Symbol name, Reducer& reducer, Span span, const std::string& what) {
  if (std::exchange(reducer.told, true)) return nullptr;
  Diagnostic& message = report(Diag::reducer_use, span, name, what);
  message.label(reducer.made, "allocated here");
  return &message;
}

void Elaborator::open_reducer(Symbol name, Reducer& reducer, Span span) {
  if (reducer.stage == Reducer::Stage::made) {
    reducer.stage = Reducer::Stage::open;
    reducer.opened = span;
    reducer.scope = ir_.regions();
    reducer.loops = dynamic_loops();
    return;
  }
  if (Diagnostic* message = misuse(name, reducer, span, "double T.reducer_init"))
    message->label(reducer.opened, "initialised here first")
        .help(
            "a reducer is filled once: allocate another one, or put T.reducer_init, the loop and "
            "T.finalize_reducer into one loop body");
}

size_t Elaborator::dynamic_loops() const {
  return static_cast<size_t>(
      std::count_if(loops_.begin(), loops_.end(), [](const Loop& loop) { return loop.dynamic; }));
}

/// Whether it could be closed.
bool Elaborator::close_reducer(Symbol name, Reducer& reducer, Span span) {
  Diagnostic* message = nullptr;
  const bool open = reducer.stage == Reducer::Stage::open;
  bool inside = open && reducer.scope.size() <= ir_.regions().size() &&
                std::equal(reducer.scope.begin(), reducer.scope.end(), ir_.regions().begin());
  inside &= reducer.loops == dynamic_loops();
  if (reducer.stage == Reducer::Stage::made) {
    message = misuse(name, reducer, span, "T.finalize_reducer before T.reducer_init");
    if (message) message->help("T.reducer_init(" + name.str() + ") in front of the loop");
  } else if (!open) {
    message = misuse(name, reducer, span, "double T.finalize_reducer");
    if (message)
      message->label(reducer.closed, "finalized here first")
          .help("read the result as often as you like; finalize it once");
  } else if (!inside) {
    message =
        misuse(name, reducer, span, "T.finalize_reducer is not in the scope of its T.reducer_init");
    if (message)
      message->label(reducer.opened, "initialised here")
          .help("put both into the same loop body or branch, or both outside of it");
  }
  reducer.stage = Reducer::Stage::done;
  reducer.closed = span;
  return open && inside;
}

void Elaborator::update_of_reducer(Symbol name, Reducer& reducer, Span span) {
  Diagnostic* message = nullptr;
  if (reducer.stage == Reducer::Stage::made) {
    message = misuse(name, reducer, span, "updated before T.reducer_init");
    if (message) message->help("T.reducer_init(" + name.str() + ") in front of the loop");
  } else if (reducer.stage == Reducer::Stage::done) {
    message = misuse(name, reducer, span, "updated after T.finalize_reducer");
    if (message)
      message->label(reducer.closed, "finalized here")
          .help("finalize it behind the last loop that adds to it");
  } else if (parallel_ == 0) {
    message = misuse(name, reducer, span, "changed outside any T.Parallel");
    if (message)
      message->help(
          "how often a statement of all threads counts is not defined: put it into a "
          "T.Parallel, or start with T.reducer_init(" +
          name.str() + ", value)");
  }
}

/// What a statement that is emitted means for a reducer that it reads or writes.
void Elaborator::follow_reducer(Symbol name, Reducer& reducer, const Node& stmt, bool write,
                                Span span) {
  if (stmt.kind == Kind::Fill) return open_reducer(name, reducer, span);
  if (const Store* store = as<Store>(&stmt); store && store->buffer == name) {
    if (write) update_of_reducer(name, reducer, span);
    return;  // what it reads there belongs to the update
  }
  if (write) {
    if (Diagnostic* message = misuse(name, reducer, span, "written by something else"))
      message->mark("illegal store to reducer")
          .help("only T.reducer_init, updates in a T.Parallel and T.finalize_reducer change it");
    return;
  }
  if (reducer.stage == Reducer::Stage::done) return;
  if (Diagnostic* message = misuse(name, reducer, span, "read before T.finalize_reducer"))
    message->mark("illegal read of reducer: it has no value yet")
        .help("T.finalize_reducer(" + name.str() + ", result) behind the loop; read the result");
}

void Elaborator::follow_reducers(const Node& stmt, Span span) {
  if (combining_) return;
  for (const Effect& effect : effects(stmt))
    if (auto found = reducers_.find(effect.buffer); found != reducers_.end())
      follow_reducer(found->first, found->second, stmt, effect.write, span);
}

/// At the end of a kernel.
void Elaborator::check_reducers_closed() {
  for (auto& [name, reducer] : reducers_)
    if (reducer.stage == Reducer::Stage::open)
      if (Diagnostic* message =
              misuse(name, reducer, reducer.opened, "initialized but never finalized"))
        message->help("T.finalize_reducer(" + name.str() +
                      ", result) behind the loops that add to it; read the result");
  reducers_.clear();
}

}  // namespace tilelab::elaborate
