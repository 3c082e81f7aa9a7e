// SPDX-License-Identifier: Apache-2.0
// Generates inputs and results for a kernel that has none.
#pragma once

#include <string>
#include <vector>

#include "runtime/musa/export.h"

namespace tilelab::runtime {

/// A call of a function with the results that the simulator computes, on the caller's arguments or
/// on generated ones: random tensors and matching dynamic extents.
class SampleCall {
 public:
  /// "" or the reason why there is none: a finding of the simulator, or an unknown size.
  std::string make(const Func& flat);
  std::string make(const Func& flat, const std::vector<sim::Argument>& given);
  const std::vector<ExportedArgument>& arguments() const { return arguments_; }

 private:
  std::string make_arguments(const Func& flat, int64_t largest);
  std::string simulate(const Func& flat);
  void expect(const Func& flat, const std::vector<sim::Argument>& results);

  std::vector<ExportedArgument> arguments_;
  std::vector<std::vector<unsigned char>> memory_, results_;
  std::vector<std::vector<double>> numbers_;
};

}  // namespace tilelab::runtime
