// SPDX-License-Identifier: Apache-2.0
// NaN and infinity in the outputs of a run whose inputs had none: the clearest sign of a wrong
// kernel.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/effects.h"
#include "core/ir/func.h"
#include "core/sim/origin.h"
#include "core/sim/sample.h"

namespace tilelab::sim {

struct Argument;
struct RunResult;

enum class NumberKind : uint8_t { finite, infinity, nan };
/// Classifies the bits of a value; finite for types without NaN and infinity.
NumberKind number_kind(DType dtype, const void* value);
/// Whether one of `n` contiguous values is NaN or infinity.
bool any_not_finite(DType dtype, const void* values, size_t n);

/// The non-finite values of a tensor.
struct NotFinite {
  std::string buffer;
  int64_t nan = 0, inf = 0, elements = 0;
  int64_t poison = 0;              // of `nan`: the pattern of uninitialized memory
  std::vector<int64_t> first;      // index of the first such element
  std::vector<OriginStep> origin;  // its origin, if requested
};

/// Scans the tensors of a call before and after its run.
class NotFiniteWatch {
 public:
  /// Before the run: records which inputs are finite. The arguments must outlive the watch.
  /// `threads` scan large tensors. `sample`: the blocks that run, if not all do; elements of other
  /// blocks are ignored.
  NotFiniteWatch(const Func& func, std::span<const Argument> arguments, int threads,
                 const Sample* sample = nullptr);
  /// After the run: the outputs with NaN, if no input has NaN and the function has no NaN constant;
  /// likewise for infinity.
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
  /// Kinds that occur in the function's constants or in the inputs.
  Kinds excused() const;
  Symbol name(size_t i) const;
  std::optional<std::vector<Sample::Box>> boxes_of(size_t i) const;
  bool left_special(size_t i) const;

  const Func& func_;
  std::span<const Argument> arguments_;
  int threads_;
  const Sample* sample_;
  mutable std::optional<Touched> touched_;    // computed on demand
  std::vector<std::optional<Kinds>> before_;  // of each argument; nullopt: unchanged
};

/// Adds the origins that watched blocks recorded. They replace reports of overflows, as they say
/// whether the value is kept; %check finds the origin later.
void join_origins(RunResult& result);

}  // namespace tilelab::sim
