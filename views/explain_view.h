// SPDX-License-Identifier: Apache-2.0
// %explain: what a message or a term means; and of a kernel, line by line, what the compiler chose
// and why. %map: source, IR and generated code beside each other.
#pragma once

#include <optional>

#include "core/diagnostics/diagnostics.h"
#include "core/passes/pass.h"
#include "views/shown.h"

namespace tilelab {

/// The file that a kernel was written in: the one most of its statements come from.
FileId source_file(const Func& func);

/// Names of all messages and of what the simulator finds, in order of the alphabet.
std::vector<std::string> message_names();
/// These and the terms of the glossary.
std::vector<std::string> explained_words();
/// A message, a finding or a term of the glossary, in this order; null with `problem` (which offers
/// the nearest name).
std::optional<Shown> explain_word(const std::string& word, std::string* problem);

/// The passes' reasons and the compiler's notes by source line; `line` 0: of all lines. Null with
/// `problem` where nothing was decided there.
std::optional<Shown> explain_kernel(const PipelineResult& result, const Diagnostics& notes,
                                    const std::string& name, int line, std::string* problem);

struct MapOptions {
  std::string after;     // whose IR; "" = the last at tile level
  int line = 0;          // of the source alone, 0 = of all lines
  bool by_code = false;  // each line of the code with the source line that it comes from
};
/// For each source line: the IR, the generated code, or the pass since which nothing of it is left.
/// Null with `problem`.
std::optional<Shown> show_map(const PipelineResult& result, const std::string& name,
                              const MapOptions& options, std::string* problem);

}  // namespace tilelab
