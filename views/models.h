// SPDX-License-Identifier: Apache-2.0
// The models of views, independent of format: views write text and HTML from them, json.cpp JSON.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "views/report_view.h"

namespace tilelab {

/// The entry of a message.
struct MessagePage {
  std::string name, kind, message, explanation, help, example;
};

/// A term of docs/glossary.md.
struct GlossaryTerm {
  std::vector<std::string> names;
  std::string text, drawing, old_words;
};

/// %explain k: decisions by source line; line 0 is the whole kernel.
struct Reason {
  std::string pass, text;
};
struct ExplainedLine {
  int line = 0;
  std::string code;
  std::vector<Reason> why;
};
struct ExplainedKernel {
  std::string kernel;
  std::vector<ExplainedLine> lines;
};

/// %map: the code of each source line, and the source line of each line of code (0: none). `gone`:
/// the pass that removed it. Keeps indentation.
struct MappedCode {
  uint32_t number, source;
  std::string text;
};
struct MapRow {
  uint32_t line;
  std::string source;
  std::vector<std::string> ir;
  std::vector<MappedCode> code;
  std::string gone;
};
struct KernelMap {
  std::string kernel, stage;
  std::vector<MapRow> rows;
  std::vector<MappedCode> code;  // complete, in order
};

/// %passes.
struct PassRun {
  std::string pass, level;
  double milliseconds = 0;
  int64_t added = 0, removed = 0;  // lines
  std::string decided;
};
struct PipelineRun {
  std::string kernel, threads;
  bool ok = false;
  std::vector<PassRun> passes;
};

/// %ir, %source.
struct KernelIr {
  std::string kernel, after, level, ir;
};
struct KernelSource {
  std::string kernel, target;
  std::vector<std::string> functions;
  std::string code;
};

/// %check: findings with their levels, and notes of the simulator and the compiler.
struct LeveledFinding {
  MergedFinding found;
  std::vector<std::string> levels;
  std::string help;
};
struct Remark {
  std::string name, message;
  std::vector<Label> places;
};
struct CheckReport {
  std::string kernel, verdict, summary;
  std::span<const CheckedRun> runs;
  std::vector<LeveledFinding> findings;
  std::vector<sim::Note> notes;
  std::vector<Remark> remarks;
  std::vector<Unproved> unproved;  // why all blocks ran
};

}  // namespace tilelab
