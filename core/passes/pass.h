// SPDX-License-Identifier: Apache-2.0
// Passes: pure functions from a function to a function, one row each in core/ir/passes.def, and the
// runner, which runs them in the order of the table and keeps every snapshot.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

struct Target;  // core/targets/target.h

/// Inputs and outputs of a pass besides the function itself.
struct PassContext {
  const Target& target;
  Diagnostics& diagnostics;               // an error here ends the pipeline after this pass
  std::string decided;                    // one line: what the pass chose, for %passes
  std::vector<std::string> reasons = {};  // for %explain: "12: copy: 16-byte accesses, because ..."

  /// Adds to `decided`, separated by "; ".
  void decide(const std::string& text) { decided += (decided.empty() ? "" : "; ") + text; }
};

using PassFunction = FuncRef (*)(const FuncRef&, PassContext&);

struct PassInfo {
  const char* name;
  Level takes, gives;
  /// Kinds of operation whose arithmetic the pass may reassociate ("" = none): other operations
  /// compute bit-identical results before and after it (`has_reassociated`).
  const char* reassociates;
  const char* doc;
  PassFunction run;
};

/// All passes in the order in which they run.
std::span<const PassInfo> all_passes();
const PassInfo* find_pass(std::string_view name);

/// Whether `after`, the output of `pass` for `before`, may compute different bits: canonicalize
/// formed a new fma; lower_tile_ops lowered a sum of floats. Otherwise they must be bit-identical.
bool has_reassociated(const PassInfo& pass, const Func& before, const Func& after);
/// The function with every fma(a, b, c) expanded to a * b + c. This computes the same bits for a
/// function and for its canonicalized form: contraction is the only arithmetic change of that pass.
FuncRef without_contraction(const FuncRef& func);

/// The function after one pass.
struct Snapshot {
  const PassInfo* pass = nullptr;  // null: as elaborated
  FuncRef func;
  double milliseconds = 0;
  std::string decided;
  std::vector<std::string> reasons;
  bool changed = true;
};

struct PipelineOptions {
  std::string stop_after;         // "" = run to the end
  std::vector<std::string> skip;  // names of passes
  bool verify = true;             // the level's rules after every pass
  bool keep = true;               // every snapshot's function; else only the first and the last
  const std::atomic<bool>* interrupt = nullptr;
  bool from_text = false;  // the input may be edited: internal errors are errors of it
  bool throws = false;     // then throw internal errors, do not report them
};

struct PipelineResult {
  std::vector<Snapshot> snapshots;  // the first is the input
  bool ok = false;
  bool interrupted = false;

  const FuncRef& func() const { return snapshots.back().func; }
  /// The function after `pass` ("" or "elaborate" = the input); null if that pass did not run.
  const Snapshot* after(std::string_view pass) const;
};

/// Runs the passes that follow `func->after` in the table. User errors go to `diagnostics`.
PipelineResult run_passes(const FuncRef& func, Diagnostics& diagnostics,
                          const PipelineOptions& options = {});

// Declares one function per row of the table, defined in the file or folder of that name.

#define PASS(name, takes, gives, reassociates, doc, holds) \
  FuncRef name(const FuncRef&, PassContext&);
#include "core/ir/passes.def"
#undef PASS

}  // namespace tilelab
