// SPDX-License-Identifier: Apache-2.0
// NaN and infinity that a run left in its outputs though no input had any: the plainest sign that a
// kernel computes something else than was meant.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/effects.h"
#include "core/ir/func.h"
#include "core/sim/birth.h"
#include "core/sim/sample.h"

namespace tilelab::sim {

struct Argument;

enum class NumberKind : uint8_t { finite, infinity, nan };
/// What the bits of a type are; finite for types that have nothing else.
NumberKind number_kind(DType dtype, const void* value);

/// What of a tensor is no number.
struct NotFinite {
  std::string buffer;
  int64_t nan = 0, inf = 0, elements = 0;
  int64_t poison = 0;          // of `nan`: as memory is that nothing has written
  std::vector<int64_t> first;  // index of the first such element
  std::vector<BirthStep> way;  // how that one came to be, where it was asked for
};

/// Looks at the tensors of a call before its run and after it.
class NotFiniteWatch {
 public:
  /// Before: what the function reads are inputs as they stand now. Both must outlive the watch.
  /// `threads` look at large tensors. `sample`: the blocks that run, if not all do; what others own
  /// is not looked at.
  NotFiniteWatch(const Func& func, std::span<const Argument> arguments, int threads,
                 const Sample* sample = nullptr);
  /// After: the outputs with NaN, where no input has NaN and the function does not name it; the
  /// same of infinity.
  std::vector<NotFinite> found() const;

 private:
  struct Kinds {
    bool nan = false, inf = false;
    void add(double value) { nan |= std::isnan(value), inf |= std::isinf(value); }
  };
  static bool large(const Argument& argument);
  const Touched& touched() const;
  bool written(size_t i) const;
  bool changes(size_t i) const;
  Kinds kinds(size_t i) const;
  /// What the function's constants and the inputs had.
  Kinds excused() const;
  Symbol name(size_t i) const;
  std::optional<std::vector<Sample::Box>> boxes_of(size_t i) const;
  bool left_special(size_t i) const;

  const Func& func_;
  std::span<const Argument> arguments_;
  int threads_;
  const Sample* sample_;
  mutable std::optional<Touched> touched_;    // once it is asked
  std::vector<std::optional<Kinds>> before_;  // of each argument; none: it is as it was
};

}  // namespace tilelab::sim
