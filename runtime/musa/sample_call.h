// SPDX-License-Identifier: Apache-2.0
// Inputs and results for a kernel that came without any.
#pragma once

#include <string>
#include <vector>

#include "runtime/musa/export.h"

namespace tilelab::runtime {

/// A call of a function, and what the simulator makes of its arguments: those of the caller, or of
/// our own choice, which are random tensors and extents of run time that fit.
class SampleCall {
 public:
  /// "" or why there is none: the simulator finds something, or a size can't be told.
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
