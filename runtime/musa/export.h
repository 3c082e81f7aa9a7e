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

}  // namespace tilelab::runtime
