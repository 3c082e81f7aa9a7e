// SPDX-License-Identifier: Apache-2.0
// What simulated runs found, for people: a message for each finding, as for errors of the compiler.
#pragma once

#include <array>
#include <span>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/prove/prove.h"
#include "core/sim/sim.h"
#include "views/shown.h"

namespace tilelab {

/// A run with detectors on: at which level the function was.
struct CheckedRun {
  std::string level;
  sim::RunResult result;
};

/// A finding and the runs that have it, by number. `first` is its number in the first of them.
struct MergedFinding {
  sim::Finding finding;
  std::vector<size_t> runs;
  size_t first = 0;
};

/// Findings are one where kind, buffer, lines and verbs are the same, in either order; the first
/// run's is kept (tile level speaks of the user's loops), with the largest count of a run.
std::vector<MergedFinding> merge_findings(std::span<const CheckedRun> runs);

/// One side of a finding, or a step of a way: where, the line, who did what.
struct LineRow {
  std::string where, code, what;
};
/// "block (3, 0)".
std::string block_text(const std::array<int64_t, 3>& block);
LineRow line_row(const Span& span, std::string what);
void write_rows(const std::vector<LineRow>& rows, Toned& out);

/// Findings alone, for an exception. With several runs each says at which level it was found.
Shown show_findings(std::span<const CheckedRun> runs);

/// %check: one diagnostic per finding ("race: S[4, 7] in block (0, 0)" with both lines), notes with
/// their count, the compiler's notes, and a last line: "clean: 3072 accesses by 8 blocks ...",
/// "2 findings", or, where not all was run, what was. `watch` says what was looked for. `proof`: of
/// runs that could do without some blocks; what it did not prove is told.
Shown show_report(std::span<const CheckedRun> runs, const sim::Watch& watch,
                  const std::string& name, const Diagnostics& compiler = {},
                  const Proof* proof = nullptr);

}  // namespace tilelab
