// SPDX-License-Identifier: Apache-2.0
// Guarded accesses out of bounds of a tensor: the tail of a grid, or a wrong index?
//
// A tail reads beyond the edge and drops the results, and other iterations of the line are in
// bounds. So two cases are findings: an out-of-bounds value whose result is stored in a tensor, and
// a line whose accesses are never in bounds. A guarded zero stored to memory of the block is
// padding, as T.copy makes it; so are the few lanes of a tail selected by a condition on values. A
// lane proves nothing about the line if its condition was itself read out of bounds, or from a
// block's memory that holds padding.
#pragma once

#include <unordered_map>

#include "core/sim/tile/run.h"

namespace tilelab::sim {

class OutsideWatch : public TileObserver {
 public:
  explicit OutsideWatch(TileBlock& block) : block_(block), inside_(block.image().accesses.size()) {}
  /// A guarded load of the latest chunk that was out of bounds in some lanes.
  struct Load {
    const TileRunner* who = nullptr;
    Span span;
    int32_t memory = 0;
    std::vector<uint8_t> lanes;
    bool conditional = false;                 // a condition kept lanes of the chunk from it
    bool single = false;                      // one element for all lanes
    std::string corner;                       // the first element, if no iteration is in bounds
    std::vector<std::vector<int64_t>> index;  // by dimension and lane
  };
  /// Null: it was in bounds, or another program made it.
  const Load* load(const TileRunner& who, int64_t access) const;
  bool any_loads() const { return !loads_.empty(); }

  void begin_block() override { padded_ = false; }
  void begin_chunk(TileRunner& lanes) override;
  bool accessed_as_run(const LaneAccess& a, int64_t) override { return accessed(a), true; }
  void accessed(const LaneAccess& a) override;
  void before(const BoxOperation& operation) override;
  void end_launch() override;

 private:
  bool selected_by_padding(const LaneAccess& a, int64_t lane) const;
  void outside(const LaneAccess& a);
  void check_used(const LaneAccess& a);

  TileBlock& block_;
  std::unordered_map<int64_t, Load> loads_;
  std::vector<uint8_t> inside_;  // by access: an element was in bounds
  std::unordered_map<int64_t, TileReport::Guarded> outside_;
  bool padded_ = false;  // a guarded zero was read and may be in the block's memory
};

}  // namespace tilelab::sim
