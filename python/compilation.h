// SPDX-License-Identifier: Apache-2.0
// Python's handle of an IR function, and its compilation by the pass pipeline, made once and shared
// by every view.
#pragma once

#include <memory>

#include "core/diagnostics/diagnostics.h"
#include "core/passes/pass.h"
#include "core/targets/target.h"
#include "python/object.h"

namespace tilelab::python {

/// Immutable. `said`: warnings and notes of the elaboration, made without knowledge of whether
/// hardware units will be used; may be null.
struct FuncObject {
  FuncRef func;
  std::shared_ptr<const Diagnostics> said;
  bool from_text = false;  // a user may have edited it

  /// The messages that apply with the function's pass configurations.
  Diagnostics messages() const;
  /// The names of warnings that the kernel disables, comma-separated.
  std::string allowed() const;
};

/// The snapshots of all passes, and their messages and those of the elaboration. Immutable.
struct Compilation {
  PipelineResult result;
  Diagnostics said;
};
using CompilationRef = std::shared_ptr<Compilation>;

/// Runs the passes; throws the Python error of a signal that interrupted them.
CompilationRef compile_function(const FuncObject& func, PipelineOptions options = {});
/// The same for a target other than the function's, without the code paths that it requires.
CompilationRef compile_for(const FuncObject& func, const Target& target);

Object place(const Span& span);
/// The source location with the text of its line.
Object line_of(const Span& span);
/// The text of a location's line.
std::string line_text(const Span& span);
/// The messages as dicts: name, severity, message, span, and as text, ansi and html.
Object diagnostics_list(const Diagnostics& diagnostics);
/// A location that Python describes: (file, text of the file or None, line, column, end line, end
/// column), or None.
struct Place {
  Span span;
};
void read(const Object& described, Place& out);
/// A host message as such a dict.
Object message_of(const std::string& name, const std::vector<std::string>& arguments,
                  const Place& at, const std::string& mark,
                  const std::vector<std::pair<Place, std::string>>& labels,
                  const std::vector<std::string>& notes, const std::vector<std::string>& helps);
/// The function with an additional note.
FuncObject with_note(const FuncObject& func, const std::string& name,
                     const std::vector<std::string>& arguments, const std::string& note);
/// One dict per snapshot.
Object snapshots_list(const PipelineResult& result);

}  // namespace tilelab::python
