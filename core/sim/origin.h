// SPDX-License-Identifier: Apache-2.0
// The origin of a NaN or infinity in an output: the block that stored it runs once more at tile
// level, and each non-finite value records the statement that produced it and those that propagated
// it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/support/span.h"

namespace tilelab {
struct Func;
}

namespace tilelab::sim {

struct Argument;
struct RunOptions;

/// A statement between the first non-finite value and an element of an output.
struct OriginStep {
  Span span;
  std::array<int64_t, 3> block{};
  std::string actor;  // "iteration i = 3", or ""
  std::string what;   // "exp(600) is inf; a[3] = 600", "brings it to B[3]"
};

/// The path to a NaN or infinity that a watched block stored in a tensor.
struct NotFiniteOrigin {
  std::string buffer;
  bool nan = false;
  std::vector<OriginStep> steps;
};

/// The path to `element` of the parameter `buffer`, its origin first. Empty if the function is not
/// at tile level, or if no block reproduces the element within `options.seconds`. Leaves the
/// tensors unchanged.
std::vector<OriginStep> origin_of(const Func& func, std::span<const Argument> arguments,
                                  const std::string& buffer, const std::vector<int64_t>& element,
                                  const RunOptions& options);

}  // namespace tilelab::sim
