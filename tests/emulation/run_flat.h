// SPDX-License-Identifier: Apache-2.0
// L2 for whole functions: renders the kernels of flat IR, compiles them for the emulation and runs
// them on the caller's arrays. Same arguments and result as the simulator's run(), for comparison.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "core/sim/sim.h"
#include "tests/emulation/check.h"

namespace tilelab::musa {

/// Several functions in one compiled file (a compilation costs more than most runs). The kernels of
/// all functions must have distinct names. The functions must outlive the object.
class EmulatedFunctions {
 public:
  /// Null with the reason in `log` if one can't be rendered or the text does not compile. `target`:
  /// mp_31 or mp_22.
  static std::unique_ptr<EmulatedFunctions> make(const std::vector<const Func*>& functions,
                                                 const Target& target, std::string* log);
  /// Runs one of the functions. A fault gives status `stopped` with the report in `error`; findings
  /// stay empty.
  sim::RunResult run(const Func& func, std::span<const sim::Argument> arguments,
                     uint64_t schedule = 0);
  const std::string& text() const { return text_; }

 private:
  void launch(const sim::Launch& launch, uint64_t schedule, sim::RunResult& result);
  const codegen::RenderedKernel& rendered(const Kernel& kernel) const;

  std::string text_;
  std::vector<codegen::RenderedKernel> kernels_;
  std::unique_ptr<EmulatedModule> module_;
};

}  // namespace tilelab::musa
