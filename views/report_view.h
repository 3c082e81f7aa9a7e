// SPDX-License-Identifier: Apache-2.0
// Findings of simulated runs as diagnostics, like compiler errors.
#pragma once

#include <array>
#include <span>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/prove/prove.h"
#include "core/sim/sim.h"
#include "views/shown.h"

namespace tilelab {

/// A run with detectors: the level of the function.
struct CheckedRun {
  std::string level;
  sim::RunResult result;
};

/// A finding and the indices of the runs that have it. `first` is its index in the first of them.
struct MergedFinding {
  sim::Finding finding;
  std::vector<size_t> runs;
  size_t first = 0;
};

/// Merges findings with equal kind, buffer, lines and verbs, in either order; keeps that of the
/// first run (tile level names the user's loops), with the largest count of a run.
std::vector<MergedFinding> merge_findings(std::span<const CheckedRun> runs);

/// One side of a finding, or a step of a path: location, line, actor and action.
struct LineRow {
  std::string where, code, what;
};
/// "block (3, 0)".
std::string block_text(const std::array<int64_t, 3>& block);
LineRow line_row(const Span& span, std::string what);
void write_rows(const std::vector<LineRow>& rows, StyledText& out);

/// Findings alone, for an exception. With several runs each names its level.
Shown show_findings(std::span<const CheckedRun> runs);

/// %check: one diagnostic per finding ("race: S[4, 7] in block (0, 0)" with both lines), notes with
/// their count, the compiler's notes, and a last line: "clean: 3072 accesses by 8 blocks ...", "2
/// findings", or, if not everything was run, what was. `watch`: the enabled checks. `proof`: for
/// runs that may skip proved blocks; reports what it could not prove.
Shown show_report(std::span<const CheckedRun> runs, const sim::Watch& watch,
                  const std::string& name, const Diagnostics& compiler = {},
                  const Proof* proof = nullptr);

// Notes on the outputs of runs without findings.

/// NaN and infinity without any in the inputs, and unwritten elements.
void write_output_notes(std::span<const CheckedRun> runs, StyledText& out);

}  // namespace tilelab
