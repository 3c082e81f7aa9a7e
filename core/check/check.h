// SPDX-License-Identifier: Apache-2.0
// Checks by running: some blocks of a kernel run with all watchers on, for a bounded time, and what
// the watchers find is reported as warnings (docs/adr/0028). The first call of a kernel with new
// shapes watches its own blocks; without a call, blocks run on arguments that are made up.
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/diagnostics/diagnostics.h"
#include "core/sim/sim.h"

namespace tilelab {

/// Seconds for which a kernel's blocks are watched: with what it takes to begin and to end that, a
/// call takes 20 ms longer at most.
inline constexpr double kWatchSeconds = 0.015;

/// A run at tile level, of which some blocks are watched: those that stand for all others, or the
/// first ones. The outputs are those of sim::run.
sim::RunResult run_watching(const Func& func, std::span<const sim::Argument> arguments,
                            const sim::RunOptions& options);

/// The findings of a watched run as warnings, in the user's words.
Diagnostics warnings_of(const Func& func, const sim::RunResult& result);

/// A check without a call.
struct SampleCheck {
  Diagnostics warnings;
  std::string unchecked;  // why nothing ran, or not all of the sample; "" if all did
};
/// Runs a sample of the blocks on made-up arguments: tensors of numbers that differ, indices of 0.
/// `sizes`: extents and scalar parameters by name; extents that are absent are chosen.
SampleCheck check_sample(const Func& func, const std::map<Symbol, int64_t>& sizes);

}  // namespace tilelab
