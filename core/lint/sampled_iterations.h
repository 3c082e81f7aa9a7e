// SPDX-License-Identifier: Apache-2.0
// Some iterations of a T.Parallel, run with what is known before the kernel runs: which elements
// each reads and writes, and under which conditions.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/stmt.h"
#include "core/ir/traverse.h"
#include "core/lint/symbolic_values.h"

namespace tilelab {

/// What has to hold for an access to be made, where that is not known: that a value is not
/// negative, or that one is true (or false).
struct Assumption {
  SymbolicValue value;
  bool slack = false;
  bool holds = true;
};

struct IterationAccess {
  const Node* by = nullptr;  // a load, a region as a value, a store
  Span span;
  size_t iteration = 0;
  Symbol buffer;
  bool write = false;
  std::vector<SymbolicValue> place;  // of one element
  std::vector<Assumption> where;
  SymbolicValue value;   // that is stored
  bool updates = false;  // what is stored is made of what stands there,
  bool adds = false;     //   as a sum, a maximum or the like of it and something else
};

using KnownNames = std::unordered_map<Symbol, SymbolicValue>;

class Iterations {
 public:
  /// `names`: values around the loop. Accesses of `followed` buffers are kept; `own`: memory of
  /// single threads.
  Iterations(const Parallel& loop, const KnownNames& names, const std::set<Symbol>& followed,
             const std::set<Symbol>& own, ValueNumbering& values);

  /// Of no loop: for value().
  Iterations(const KnownNames& names, ValueNumbering& values);

  std::vector<IterationAccess> accesses;
  std::vector<std::vector<int64_t>> points;  // values of the loop's variables, by iteration

  SymbolicValue value(const Expr& expr);

 private:
  void choose(const Parallel& loop);
  void visit(const Stmt& stmt);
  void branches(const If& branch);
  void turns(const For& loop);
  void forget_assigned(const Stmt& body);
  void store(const Store& store);
  bool adds(const Store& store, const std::vector<SymbolicValue>& place);

  SymbolicValue load(const Load& load);
  SymbolicValue region(const Region& region);
  SymbolicValue logical(const Bin& bin);
  SymbolicValue select(const Select& choice);
  SymbolicValue call(const Call& call);
  void assume(const Expr& condition, bool negated);
  void assume_comparison(BinOp op, const SymbolicValue& difference);
  /// Accesses of each element of the box that begins at `place`.
  void keep(const Node& by, Symbol buffer, std::vector<SymbolicValue> place,
            const std::vector<int64_t>& box, const SymbolicValue* stored);
  std::vector<SymbolicValue> place_of(const std::vector<RegionDim>& dims,
                                      std::vector<int64_t>& box);

  const KnownNames& outer_;
  KnownNames names_;  // of this iteration
  const std::set<Symbol>&followed_, &own_;
  ValueNumbering& values_;
  std::vector<Assumption> where_;
  bool quiet_ = false;  // reads are not kept
  size_t statements_ = 0;
  int depth_ = 0;  // of loops inside
};

}  // namespace tilelab
