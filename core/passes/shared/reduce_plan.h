// SPDX-License-Identifier: Apache-2.0
// How a reduction of a fragment is performed over registers, lanes and warps: derived from the
// digits of the reduced dimensions, for both infer_layouts (which declares the workspace) and
// lower_tile_ops (which generates the code).
#pragma once

#include <string>
#include <vector>

#include "core/layout/digits.h"

namespace tilelab {

struct ReducePlan {
  /// A digit of a reduced dimension that crosses warps (or that shuffles cannot reduce): its value
  /// is (tid - base) / stride % extent.
  using Cross = Digit;

  std::vector<int64_t> shuffles;  // xor offsets, largest first
  std::vector<Cross> cross;       // most significant first
  int64_t cross_extent = 1;       // product of their extents
  /// Lane digits that shuffles have made equal; a writer has value 0 in each of them.
  std::vector<Digit> lanes;

  bool needs_workspace() const { return cross_extent > 1; }
  /// Shape of the workspace: the result's shape, then cross_extent.
  std::vector<int64_t> workspace_shape(const std::vector<int64_t>& result) const;
  /// As Reduce::order: {"regs", "shfl 16 8 4 2 1", "warps"}.
  std::vector<std::string> order() const;
};

/// `dims` of `source` are reduced by warps of `lanes` lanes in a block of `block` threads. A
/// partial warp is split into smaller ones, since shuffles may only read existing lanes.
ReducePlan plan_reduce(const Layout& source, const std::vector<int64_t>& dims, int64_t lanes,
                       int64_t block);

}  // namespace tilelab
