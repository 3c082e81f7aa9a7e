// SPDX-License-Identifier: Apache-2.0
// A kernel as a program for another machine: its MUSA C, a call with inputs and expected outputs,
// the device header, and a script that builds and runs all kernels of a directory.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/sim/sim.h"

namespace tilelab::runtime {

/// One argument of the call.
struct ExportedArgument {
  sim::Argument given;  // a tensor's memory is as before the call
  /// Expected row-major elements of a written tensor after the call: doubles for floats, otherwise
  /// of its dtype; null if nothing is expected.
  const void* expected = nullptr;
  double relative = 0, absolute = 0;  // |x - expected| <= relative |expected| + absolute
};

/// Writes NAME.mu, NAME.tile and data/NAME.* for a function at flat level and a Moore Threads
/// target, and device/ and run.sh, which all share. Returns "" or the error; errors of the renderer
/// go to `sink`.
std::string export_program(const Func& flat, const std::string& name,
                           const std::vector<ExportedArgument>& arguments,
                           const std::string& directory, Diagnostics& sink);

// Generates inputs and results for a kernel that has none.

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
