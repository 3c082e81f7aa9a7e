// SPDX-License-Identifier: Apache-2.0
// Taint analysis of padding: which elements of a block's memory derive from zeros read out of
// bounds of a tensor. A reduction that mixes them with real elements is wrong if they change its
// result. So is a result stored in a tensor that derives only from boxes entirely out of bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/tile/image.h"

namespace tilelab::sim {

class PaddedElements {
 public:
  using Id = uint16_t;  // 0: no padding
  struct Origin {
    Span read;             // the statement that reads out of bounds
    int32_t memory = 0;    // the tensor
    std::string where;     // the index that it reads
    bool guarded = false;  // under a condition, and at most one element out of bounds
    Span made;             // the statement that computed a nonzero value from it
    std::string corner;    // the first element, if all that it reads is out of bounds
    bool single = false;   // an element that a statement reads for all its lanes, not a tile's edge
    bool operator==(const Origin&) const = default;
  };

  void begin_block(int64_t bytes);
  /// Whether an element of the block's memory may be padding.
  bool any() const { return any_; }
  Id id(const Origin& origin);
  /// The same padding, from which the statement at `by` computes another value.
  Id made(Id id, const Span& by);
  /// The same padding, combined with real elements.
  Id mixed(Id id);
  const Origin& origin(Id id) const { return origins_[id]; }

  Id at(const TileMemory& m, int64_t offset) const {
    return any_ && m.global < 0 ? own_[place(m, offset)] : Id{0};
  }
  void set(const TileMemory& m, int64_t offset, Id id) {
    if (m.global >= 0 || (!any_ && id == 0)) return;
    if (!any_) own_.assign(size_t(bytes_), 0), any_ = true;
    own_[place(m, offset)] = id;
  }

 private:
  static size_t place(const TileMemory& m, int64_t offset) {
    return size_t(m.at + offset * elem_bytes(m.elem));
  }

  std::vector<Origin> origins_{Origin{}};
  std::vector<Id> own_;  // by the first byte of an element
  int64_t bytes_ = 0;
  bool any_ = false;
};

}  // namespace tilelab::sim
