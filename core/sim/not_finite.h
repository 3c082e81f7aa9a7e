// SPDX-License-Identifier: Apache-2.0
// NaN and infinity that a run left in its outputs though no input had any: the plainest sign that a
// kernel computes something else than was meant.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/ir/func.h"

namespace tilelab::sim {

struct Argument;

/// What of a tensor is no number.
struct NotFinite {
  std::string buffer;
  int64_t nan = 0, inf = 0, elements = 0;
  std::vector<int64_t> first;  // index of the first such element
};

/// Tensors by what a function does to them, at any level.
struct TouchedTensors {
  std::set<Symbol> read, written;
};
TouchedTensors touched_tensors(const Func& func);

/// Looks at the tensors of a call before its run and after it.
class NotFiniteWatch {
 public:
  /// Before: tensors that the function both reads and writes are inputs as they stand now.
  NotFiniteWatch(const Func& func, std::span<const Argument> arguments);
  /// After: the outputs with NaN, where no input has NaN and the function does not name it; the
  /// same of infinity.
  std::vector<NotFinite> found() const;

 private:
  struct Kinds {
    bool nan = false, inf = false;
    bool all() const { return nan && inf; }
  };
  /// What inputs have: the function's own constants and what was seen before the run included.
  Kinds excused() const;

  std::span<const Argument> arguments_;
  std::vector<Symbol> names_;
  std::vector<size_t> inputs_, outputs_;
  Kinds before_;
};

}  // namespace tilelab::sim
