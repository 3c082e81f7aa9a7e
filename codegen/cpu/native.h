// SPDX-License-Identifier: Apache-2.0
// Kernels for the host's cores, compiled by the system's C++ compiler and run on the caller's
// arrays. Same arguments and result as the simulator's run(). A run is a child process with copies
// of the arrays: a bad access or an interrupt ends that process, not the session.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "core/sim/sim.h"

namespace tilelab::cpu {

class Library;

class NativeFunction {
 public:
  /// The kernels of functions at flat level for the CPU, compiled together, since a compilation
  /// costs more than most runs. Equal texts are compiled once. Empty after an error: errors of the
  /// IR are reported, compiler errors are in `problem`.
  static std::vector<std::shared_ptr<NativeFunction>> make(const std::vector<FuncRef>& functions,
                                                           Diagnostics& sink, std::string* problem);
  /// Uses only `interrupt` and `not_finite` of the options: nothing is watched.
  sim::RunResult run(std::span<const sim::Argument> arguments,
                     const sim::RunOptions& options) const;

 private:
  void launch(const sim::Launch& launch, const sim::RunOptions& options,
              sim::RunResult& result) const;
  const codegen::RenderedKernel& rendered(const Kernel& kernel) const;

  FuncRef func_;
  std::vector<codegen::RenderedKernel> kernels_;
  std::shared_ptr<const Library> library_;
  std::set<Symbol> written_;  // global tensors
};

}  // namespace tilelab::cpu
