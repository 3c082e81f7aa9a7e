// SPDX-License-Identifier: Apache-2.0
// A kernel prepared for its proof: scalars are constants, memory is resolved by name.
#pragma once

#include <array>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/traverse.h"
#include "core/prove/prove.h"

namespace tilelab::proving {

/// Coordinates [first, end) along one axis of the grid.
struct Interval {
  int64_t first = 0, end = 1;
  int64_t size() const { return end - first; }
};
using Blocks = std::array<Interval, 3>;

struct KernelFacts {
  explicit KernelFacts(const sim::Launch& launch);

  const sim::Launch& launch;
  Stmt body;  // scalars replaced by their values
  BufferViews views;
  std::unordered_set<Symbol> vars;            // names that are assigned
  std::unordered_map<Symbol, size_t> global;  // tensors: index into launch.memories
  BufferTable own;                            // memory of a block, without rings
  std::set<Symbol> written;                   // tensors
  int lanes = 32;                             // of a warp

  /// The body for the blocks `blocks`, with their common coordinates as constants.
  Stmt body_of(const Blocks& blocks) const;
  Blocks all_blocks() const;
};

/// What a value depends on: bits of the axes 0 to 2, and of data read from memory.
using Dependence = uint8_t;
constexpr Dependence kData = 8;

/// Flow-insensitive dependences of names.
class Dependences {
 public:
  Dependences(const KernelFacts& kernel, const Blocks& blocks, const Stmt& body);
  Dependence operator()(Symbol name) const;
  Dependence operator()(const Expr& expr) const;

 private:
  bool add(Symbol name, Dependence more);
  bool add_all(const Stmt& body);
  std::unordered_map<Symbol, Dependence> of_;
};

}  // namespace tilelab::proving
