// SPDX-License-Identifier: Apache-2.0
// What a simulated run found, for people: a message for each finding, as for errors of the
// compiler.
#pragma once

#include "core/ir/func.h"
#include "core/sim/sim.h"
#include "views/shown.h"

namespace tilelab {

/// %check: one diagnostic per finding ("race: S[4, 7] in block (0, 0)" with both lines), notes with
/// their count, and a last line: "clean: 64 blocks, ..." or "2 findings". `watch` says what was
/// looked for.
Shown show_report(const sim::RunResult& result, const sim::Watch& watch, const std::string& name);

}  // namespace tilelab
