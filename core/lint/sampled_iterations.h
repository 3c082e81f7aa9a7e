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
  KnownValue value;
  bool slack = false;
  bool holds = true;
};

struct IterationAccess {
  const Node* by = nullptr;  // a load, a region as a value, a store
  Span span;
  size_t iteration = 0;
  Symbol buffer;
  bool write = false;
  std::vector<KnownValue> place;  // of one element
  std::vector<Assumption> where;
  KnownValue value;      // that is stored
  bool updates = false;  // what is stored is made of what stands there,
  bool adds = false;     //   as a sum, a maximum or the like of it and something else
};

using KnownNames = std::unordered_map<Symbol, KnownValue>;

class Iterations {
 public:
  /// `names`: values around the loop. Accesses of `followed` buffers are kept; `own`: memory of
  /// single threads.
  Iterations(const Parallel& loop, const KnownNames& names, const std::set<Symbol>& followed,
             const std::set<Symbol>& own, KnownValues& values);

  /// Of no loop: for value().
  Iterations(const KnownNames& names, KnownValues& values);

  std::vector<IterationAccess> accesses;
  std::vector<std::vector<int64_t>> points;  // values of the loop's variables, by iteration

  KnownValue value(const Expr& expr);

 private:
  void choose(const Parallel& loop);
  void visit(const Stmt& stmt);
  void branches(const If& branch);
  void turns(const For& loop);
  void forget_assigned(const Stmt& body);
  void store(const Store& store);
  bool adds(const Store& store, const std::vector<KnownValue>& place);

  KnownValue load(const Load& load);
  KnownValue region(const Region& region);
  KnownValue logical(const Bin& bin);
  KnownValue select(const Select& choice);
  KnownValue call(const Call& call);
  void assume(const Expr& condition, bool negated);
  void assume_comparison(BinOp op, const KnownValue& difference);
  /// Accesses of each element of the box that begins at `place`.
  void keep(const Node& by, Symbol buffer, std::vector<KnownValue> place,
            const std::vector<int64_t>& box, const KnownValue* stored);
  std::vector<KnownValue> place_of(const std::vector<RegionDim>& dims, std::vector<int64_t>& box);

  const KnownNames& outer_;
  KnownNames names_;  // of this iteration
  const std::set<Symbol>&followed_, &own_;
  KnownValues& values_;
  std::vector<Assumption> where_;
  bool quiet_ = false;  // reads are not kept
  size_t statements_ = 0;
  int depth_ = 0;  // of loops inside
};

}  // namespace tilelab
