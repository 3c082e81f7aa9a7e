// SPDX-License-Identifier: Apache-2.0
// Finds redundant atomic sums over blocks: all blocks add equal values, so each has the complete
// sum.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "core/ir/dtype.h"
#include "core/support/span.h"

namespace tilelab::sim {

class BlockSums {
 public:
  /// Block `block` adds the value with these bits to a cell of a tensor. Integers are counts, to
  /// which blocks usually add equal values.
  void add(const Span& span, int32_t memory, int64_t offset, int64_t block, DType dtype,
           const uint8_t* value);

  struct Redundant {
    Span span;
    int32_t memory = 0;
    int64_t offset = 0, first = 0, second = 0;  // the element, and two of the blocks
  };
  /// Locations at which several blocks add to each sum, all with the same value.
  std::vector<Redundant> redundant() const;

 private:
  static constexpr size_t most = 4096;  // elements tracked
  using Place = std::tuple<uint32_t, uint32_t, uint32_t, int32_t>;
  struct Addend {
    int64_t block = 0;
    uint64_t bits = 0;
  };
  struct Seen {
    Redundant example;
    bool equal = false, different = false;
  };
  std::map<std::pair<Place, int64_t>, Addend> first_;
  std::map<Place, Seen> places_;
};

}  // namespace tilelab::sim
