// SPDX-License-Identifier: Apache-2.0
// A function of the IR as Python holds it, and its way through the passes: made once, looked at by
// every view.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "core/diagnostics/diagnostics.h"
#include "core/passes/pass.h"
#include "core/targets/target.h"

namespace tilelab::python {

/// Immutable. `said`: warnings and notes of the elaboration, which does not know yet whether the
/// machine's units will be used; may be null.
struct FuncObject {
  FuncRef func;
  std::shared_ptr<const Diagnostics> said;
  bool from_text = false;  // a person may have edited it

  /// What was said that holds with the function's pass configurations.
  Diagnostics told() const;
  /// The names of warnings that the kernel disables, separated by commas.
  std::string allowed() const;
  /// Whether threads or blocks of it wait for what others write.
  bool waits() const;
};

/// What all passes made of a function and what they and the elaboration said. Immutable.
struct Compilation {
  PipelineResult result;
  Diagnostics said;
};
using CompilationRef = std::shared_ptr<Compilation>;

/// Runs the passes; throws the Python error of a signal that ended them.
CompilationRef compile_function(const FuncObject& func, PipelineOptions options = {});
/// The same for another target of the one that the function was made for.
CompilationRef compile_for(const FuncObject& func, const Target& target);

pybind11::dict place(const Span& span);
/// The messages as dicts: name, severity, message, span, and as text, ansi and html.
pybind11::list diagnostics_list(const Diagnostics& diagnostics);
/// A message of the host's, as one of these dicts. `at` and the places of `labels`, (place, text)
/// pairs, are (file, text of the file or None, line, column, end line, end column).
pybind11::dict message_of(const std::string& name, const std::vector<std::string>& arguments,
                          const pybind11::object& at, const std::string& mark,
                          const pybind11::list& labels, const std::vector<std::string>& notes,
                          const std::vector<std::string>& helps);
/// The function with one more note, for those who ask.
FuncObject with_note(const FuncObject& func, const std::string& name,
                     const std::vector<std::string>& arguments, const std::string& note);
/// One dict for each snapshot.
pybind11::list snapshots_list(const PipelineResult& result);

}  // namespace tilelab::python
