// SPDX-License-Identifier: Apache-2.0
// %explain: the meaning of a message or term; for a kernel, the compiler's decisions by line with
// their reasons. %map: source, IR and generated code side by side.
#pragma once

#include <optional>

#include "core/diagnostics/diagnostics.h"
#include "core/passes/pass.h"
#include "views/shown.h"

namespace tilelab {

/// The file of a kernel: the one that contains most of its statements.
FileId source_file(const Func& func);

/// Names of all messages and of the simulator's findings, sorted.
std::vector<std::string> message_names();
/// These and the terms of the glossary.
std::vector<std::string> explained_words();
/// A message, a finding or a term of the glossary, in this order; null with `problem` (which
/// suggests the nearest name).
std::optional<Shown> explain_word(const std::string& word, std::string* problem);

/// The passes' reasons and the compiler's notes by source line; `line` 0: all lines. Null with
/// `problem` if there are none.
std::optional<Shown> explain_kernel(const PipelineResult& result, const Diagnostics& notes,
                                    const std::string& name, int line, std::string* problem);

struct MapOptions {
  std::string after;     // IR after this pass; "" = the last at tile level
  int line = 0;          // a single source line; 0 = all
  bool by_code = false;  // by lines of the code, each with its source line
};
/// For each source line: the IR, the generated code, or the pass that removed it. Null with
/// `problem`.
std::optional<Shown> show_map(const PipelineResult& result, const std::string& name,
                              const MapOptions& options, std::string* problem);

}  // namespace tilelab
