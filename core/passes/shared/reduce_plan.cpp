// SPDX-License-Identifier: Apache-2.0
#include "core/passes/shared/reduce_plan.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace tilelab {
namespace {

bool power_of_two(int64_t v) { return v > 0 && std::has_single_bit(static_cast<uint64_t>(v)); }

}  // namespace

std::vector<int64_t> ReducePlan::workspace_shape(const std::vector<int64_t>& result) const {
  std::vector<int64_t> shape = result;
  shape.push_back(cross_extent);
  return shape;
}

std::vector<std::string> ReducePlan::order() const {
  std::vector<std::string> steps{"regs"};
  if (!shuffles.empty()) {
    std::string step = "shfl";
    for (int64_t offset : shuffles) step += " " + std::to_string(offset);
    steps.push_back(step);
  }
  if (needs_workspace()) steps.push_back("warps");
  return steps;
}

ReducePlan plan_reduce(const Layout& source, const std::vector<int64_t>& dims, int64_t lanes,
                       int64_t block) {
  ReducePlan plan;
  lanes = std::gcd(lanes, block);
  auto shuffle = [&](const Digit& digit) {
    plan.lanes.push_back(digit);
    for (int64_t offset = digit.extent / 2; offset >= 1; offset /= 2)
      plan.shuffles.push_back(offset * digit.stride);
  };
  auto cross = [&](const Digit& digit) {
    if (digit.extent == 1) return;
    plan.cross.push_back(digit);
    plan.cross_extent *= digit.extent;
  };
  for (int64_t dim : dims)
    for (const Digit& digit : source.dims[static_cast<size_t>(dim)]) {
      if (digit.kind != 't' || digit.extent == 1) continue;
      bool binary =
          power_of_two(digit.extent) && power_of_two(digit.stride) && source.base % lanes == 0;
      if (!binary || digit.stride >= lanes) {
        cross(digit);
      } else if (digit.stride * digit.extent <= lanes) {
        shuffle(digit);
      } else {
        cross({'t', digit.stride * digit.extent / lanes, lanes});
        shuffle({'t', lanes / digit.stride, digit.stride});
      }
    }
  std::sort(plan.shuffles.rbegin(), plan.shuffles.rend());
  return plan;
}

}  // namespace tilelab
