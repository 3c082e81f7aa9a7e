// SPDX-License-Identifier: Apache-2.0
// Lifetime of a reducer as a state machine over emitted statements: allocated, opened once by
// T.reducer_init (or T.clear, T.fill), updated in iterations of T.Parallel, closed once by
// T.finalize_reducer in the scope that opened it. Only then it has a value. These are TileLang's
// rules: on a GPU each thread holds a partial sum until they are combined.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/elaborate/reporter.h"
#include "core/ir/enums.h"
#include "core/ir/node.h"

namespace tilelab::elaborate {

class ReducerLifetimes {
 public:
  explicit ReducerLifetimes(Reporter& reporter) : reporter_(reporter) {}

  /// Where a statement is located.
  struct Place {
    std::vector<int> regions;
    size_t loops = 0;  // enclosing dynamic loops
    bool parallel = false;
    size_t depth = 0;  // of the open block
  };

  bool empty() const { return reducers_.empty(); }
  bool has(Symbol name) const { return reducers_.count(name) > 0; }
  ReduceOp op(Symbol name) const { return reducers_.at(name).op; }
  void add(Symbol name, ReduceOp op, Span made) { reducers_[name] = {.op = op, .made = made}; }
  /// Returns whether it could be closed.
  bool close(Symbol name, Span span, const Place& here);
  /// The depth of the block that opened the reducer, if there are only loops between it and here.
  std::optional<size_t> outside_of_loops(Symbol name, const Place& here) const;
  /// Checks the statement's accesses to reducers.
  void follow(const Node& stmt, Span span, const Place& here);
  void end_kernel();

  bool combining = false;  // statements currently combine a partial result into its reducer

 private:
  struct Reducer {
    enum class Stage : uint8_t { made, open, done };
    ReduceOp op = ReduceOp::sum;
    Span made, opened, closed;
    Stage stage = Stage::made;
    std::vector<int> scope;  // the regions where it was opened
    size_t loops = 0;        // enclosing loops
    size_t depth = 0;        // of the block where it was opened
    bool reported = false;   // a misuse is reported once
  };
  Diagnostic* misuse(Symbol name, Reducer& reducer, Span span, const std::string& what);
  void open(Symbol name, Reducer& reducer, Span span, const Place& here);
  void update(Symbol name, Reducer& reducer, Span span, const Place& here);
  void follow(Symbol name, Reducer& reducer, const Node& stmt, bool write, Span span,
              const Place& here);

  Reporter& reporter_;
  std::map<Symbol, Reducer> reducers_;
};

}  // namespace tilelab::elaborate
