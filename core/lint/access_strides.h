// SPDX-License-Identifier: Apache-2.0
// Strided footprint of accesses to a tensor: the grid axes and loops that move an access, each with
// its stride and range.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/analysis/path_conditions.h"
#include "core/ir/func.h"

namespace tilelab {

/// A grid axis or a loop that moves an access.
struct IterationAxis {
  Symbol var;
  int64_t count = 0;
  bool blocks = false;  // else a loop
  Span span;
  int64_t begin = 0;  // the first value of its variable
  bool operator==(const IterationAxis& other) const {
    return var == other.var && span == other.span;
  }
};
/// "the 7 blocks along bx", "the 3 iterations over k", "the one iteration over k"
std::string name_of(const IterationAxis& axis);
/// "blocks", "iterations"
const char* kind_of(const IterationAxis& axis);

/// One dimension of the accesses of a statement: indices `lo` to `hi`.
struct DimFootprint {
  struct Step {
    IterationAxis axis;
    int64_t by = 0;
  };
  int64_t lo = 0, hi = 0;
  int64_t width = 0;        // without steps
  bool cut = false;         // a condition excludes an end of the tensor
  bool threads = false;     // several threads, at different indices, contribute to the width
  std::vector<Step> steps;  // the shortest first
  int64_t extent = 0;
  Linear sum;  // the first index

  /// The longest step, if each one starts at or before the end of the previous ones.
  const Step* longest() const;
  /// The first step, by length, that is at most half of the extent of the previous ones.
  const Step* overlapping() const;
};

/// The facts at a statement, with the enclosing axes.
struct AccessContext : FactContext {
  using FactContext::FactContext;
  std::vector<IterationAxis> axes;

  /// Enters a statement, as FactContext does.
  void enter(const Stmt& stmt);
  /// One dimension of an access; `guarded`: use the bounds of conditions.
  DimFootprint along(const RegionDim& dim, const Expr& extent, bool guarded) const;

 private:
  void step(Symbol var, const Range& count, bool blocks, Span span, int64_t begin = 0);
};

/// An access of one statement to a tensor.
struct TensorAccess {
  Span span;
  std::vector<DimFootprint> dims;
  std::vector<IterationAxis> around;  // the enclosing axes that it does not use
  bool copied = false;                // as a tile, by T.copy
  bool moves = false;                 // it uses an axis
};

struct TensorAccesses {
  std::vector<TensorAccess> all;
  bool is_unsupported = false;  // some accesses are not among them
};

/// A parameter, with its accesses. Reads of a tensor that is also written, or viewed, are
/// unsupported.
struct AccessedTensor {
  const Buffer* buffer = nullptr;
  bool fresh = false;  // a call allocates it
  TensorAccesses reads, writes;
};

/// The tensors of a tile function, in the order of its parameters. Reads are assumed to be
/// executed, and bounds of conditions limit the writes.
std::vector<AccessedTensor> tensor_accesses(const Func& func);

/// "B[:, 96:100]"
std::string part_of(const Buffer& tensor, size_t dim, int64_t from, int64_t to);

}  // namespace tilelab
