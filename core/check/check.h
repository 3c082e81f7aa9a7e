// SPDX-License-Identifier: Apache-2.0
// Dynamic checks: some blocks of a kernel run with all watchers enabled, for a bounded time, and
// the watchers' findings are reported as warnings (docs/adr/0028). The first call of a kernel with
// new shapes watches its own blocks; without a call, blocks run on generated arguments.
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/diagnostics/diagnostics.h"
#include "core/sim/sim.h"

namespace tilelab {

/// Time limit for watching a kernel's blocks: with setup and teardown, a call takes at most 20 ms
/// longer.
inline constexpr double kWatchSeconds = 0.015;

/// A run at tile level that watches some blocks: the representative ones, or the first. The outputs
/// are those of sim::run.
sim::RunResult run_watching(const Func& func, std::span<const sim::Argument> arguments,
                            const sim::RunOptions& options);

/// The findings of a watched run as warnings, in the user's terms.
Diagnostics warnings_of(const Func& func, const sim::RunResult& result);

/// Reports tensors of a call that share memory although the kernel's code assumes otherwise.
void warn_of_overlap(const Func& func, std::span<const sim::Argument> arguments,
                     Diagnostics& diagnostics);

/// A check without a call.
struct SampleCheck {
  Diagnostics warnings;
  std::string unchecked;  // why nothing ran, or not all of the sample; "" if all did
};
/// Runs a sample of the blocks on generated arguments: tensors of distinct numbers, indices of 0.
/// `sizes`: extents and scalar parameters by name; missing extents are chosen.
SampleCheck check_sample(const Func& func, const std::map<Symbol, int64_t>& sizes);

}  // namespace tilelab
