// SPDX-License-Identifier: Apache-2.0
#include "core/check/check.h"

#include <algorithm>
#include <cstdlib>

#include "core/analysis/endless.h"
#include "core/check/made_up.h"
#include "core/ir/traverse.h"
#include "core/prove/prove.h"

namespace tilelab {
namespace {

/// For larger functions, the first blocks are watched without a proof, whose time grows with the
/// size of the program.
constexpr int kMaxNodes = 4000;

/// Time limit of watching: slow debug builds get more for their tests.
double watch_seconds() {
  const char* asked = std::getenv("TILELAB_WATCH_SECONDS");
  return asked ? std::atof(asked) : kWatchSeconds;
}

/// CPU time of the thread: the findings do not depend on the load of the machine.
sim::Deadline watch_time() { return sim::Deadline(watch_seconds(), sim::Deadline::Clock::thread); }

/// Adds the first blocks along each axis of the grid: some watchers compare neighbours.
void add_neighbours(sim::Sample& sample) {
  int64_t step = 1;
  for (const int64_t extent : sample.grid) {
    if (extent > 1) sample.blocks.insert(sample.blocks.end(), {0, step});
    step *= extent;
  }
  std::sort(sample.blocks.begin(), sample.blocks.end());
  sample.blocks.erase(std::unique(sample.blocks.begin(), sample.blocks.end()), sample.blocks.end());
}

/// The representative blocks of a launch; none if nothing is proved.
Proof sample_of(const Func& func, std::span<const sim::Argument> arguments) {
  Proof proof;
  if (is_smaller(func, kMaxNodes)) proof = prove(func, arguments);
  if (proof.proved()) add_neighbours(proof.sample);
  return proof;
}

/// Findings that are meaningless with generated values.
bool of_values(sim::FindingKind kind) {
  return kind == sim::FindingKind::assertion || kind == sim::FindingKind::divide_by_zero ||
         kind == sim::FindingKind::endless || kind == sim::FindingKind::opaque;
}

}  // namespace

sim::RunResult run_watching(const Func& func, std::span<const sim::Argument> arguments,
                            const sim::RunOptions& options) {
  sim::WatchedBlocks watched{nullptr, watch_time()};
  const Proof proof = sample_of(func, arguments);
  if (proof.proved()) watched.sample = &proof.sample;
  sim::RunOptions watching = options;
  watching.warn = &watched;
  return sim::run(func, arguments, watching);
}

SampleCheck check_sample(const Func& func, const std::map<Symbol, int64_t>& sizes) {
  SampleCheck out;
  if (func.level != Level::tile || waits_for_others(func)) {
    out.unchecked = "its blocks wait for each other";
    return out;
  }
  MadeUpArguments made(func, sizes);
  if (!made.problem.empty()) {
    out.unchecked = made.problem;
    return out;
  }
  sim::WatchedBlocks watched{nullptr, watch_time(), true, true};
  const Proof proof = sample_of(func, made.arguments);
  sim::RunOptions options;
  options.warn = &watched;
  options.threads = 1;
  if (proof.proved()) options.sample = &proof.sample;
  sim::RunResult result = sim::run(func, made.arguments, options);
  if (result.status == sim::RunResult::Status::refused) {
    out.unchecked = result.error;
    return out;
  }
  for (sim::Finding& finding : result.findings)
    if (!of_values(finding.kind)) result.warnings.push_back(std::move(finding));
  out.warnings = warnings_of(func, result);
  if (result.blocks < result.all_blocks && watched.until.passed())
    out.unchecked = std::to_string(result.blocks) + " of " + std::to_string(result.all_blocks) +
                    " blocks ran in " + std::to_string(int(watch_seconds() * 1000)) + " ms";
  return out;
}

}  // namespace tilelab
