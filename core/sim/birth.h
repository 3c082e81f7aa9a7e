// SPDX-License-Identifier: Apache-2.0
// Where NaN or infinity of an output began: the block that stored it runs once more at tile level,
// and of each value that is no number it is remembered which statement made it and which carried
// it on.
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

/// A statement on the way from the first value that is no number to an element of an output.
struct BirthStep {
  Span span;
  std::array<int64_t, 3> block{};
  std::string actor;  // "iteration i = 3", or ""
  std::string what;   // "exp(600) is inf; a[3] = 600", "brings it to B[3]"
};

/// The way to `element` of the parameter `buffer`, the birth first; nothing where the function is
/// not of tile level, or no block makes the element what it is within `options.seconds`. The
/// tensors are afterwards as they were.
std::vector<BirthStep> birth_of(const Func& func, std::span<const Argument> arguments,
                                const std::string& buffer, const std::vector<int64_t>& element,
                                const RunOptions& options);

}  // namespace tilelab::sim
