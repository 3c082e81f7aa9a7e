// SPDX-License-Identifier: Apache-2.0
#include "python/compilation.h"

#include "core/diagnostics/allow.h"
#include "core/diagnostics/render.h"
#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/builtins.h"
#include "core/layout/code_paths.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/passes/shared/hardware_units.h"
#include "core/support/check.h"
#include "python/runs.h"

namespace tilelab::python {

std::string FuncObject::allowed() const {
  const Attr* names = find_attr(func->configs, kAllowed);
  return names ? names->string : "";
}

Diagnostics FuncObject::messages() const {
  if (!said) return {};
  return uses_hardware_units(*func) ? elaborate::reported_with_units(*said) : *said;
}

CompilationRef compile_function(const FuncObject& func, PipelineOptions options) {
  auto made = std::make_shared<Compilation>();
  bool done = serve([&](const std::atomic<bool>& stop) {
    options.interrupt = &stop;
    Diagnostics said;
    made->result = (func.from_text ? run_passes_on_text : run_passes)(func.func, said, options);
    made->said = func.messages();
    made->said.append(said);
  });
  if (!done) throw PythonError();
  return made;
}

CompilationRef compile_for(const FuncObject& func, const Target& target) {
  Func other(*for_target(func.func, target));
  std::erase_if(other.configs, [](const Attr& a) { return a.name == Symbol(kRequired); });
  return compile_function({make(std::move(other)), func.said, func.from_text});
}

Object place(const Span& span) {
  return dict_of("file", span.known() ? source_name(span.file) : std::string(), "line", span.line,
                 "column", span.col, "end_line", span.end_line, "end_column", span.end_col);
}

std::string line_text(const Span& span) {
  return span.known() ? std::string(source_line(span.file, span.line)) : std::string();
}

Object line_of(const Span& span) {
  Object out = place(span);
  set(out, "text", line_text(span));
  return out;
}

namespace {

Object diagnostic_dict(const Diagnostic& d) {
  const StyledText styled = render(d);
  const std::string html =
      "<pre style=\"font-family:monospace;margin:0;line-height:1.3\">" + styled.html() + "</pre>";
  return dict_of("name", info(d.id).name, "severity", severity_name(d.severity), "error",
                 d.is_error(), "message", d.message, "span", place(d.span), "text", styled.plain(),
                 "ansi", styled.ansi(), "html", html);
}

Diag id_of(const std::string& name) {
  for (int i = 0; i < diagnostics_count; ++i)
    if (info(static_cast<Diag>(i)).name == name) return static_cast<Diag>(i);
  UNREACHABLE("no message " + name);
}

}  // namespace

void read(const Object& described, Place& out) {
  if (is_none(described)) return;
  using Parts =
      std::tuple<std::string, std::optional<std::string>, uint32_t, uint32_t, uint32_t, uint32_t>;
  const auto [file, text, line, column, end_line, end_column] = read_as<Parts>(described);
  out.span = {text ? add_source(file, *text) : source_id(file), line, column, end_line, end_column};
}

Object diagnostics_list(const Diagnostics& diagnostics) {
  return list_of(diagnostics.all(), diagnostic_dict);
}

Object message_of(const std::string& name, const std::vector<std::string>& arguments,
                  const Place& at, const std::string& mark,
                  const std::vector<std::pair<Place, std::string>>& labels,
                  const std::vector<std::string>& notes, const std::vector<std::string>& helps) {
  Diagnostic made = make_diagnostic(id_of(name), at.span, arguments);
  made.mark(mark);
  for (const auto& [place, text] : labels) made.label(place.span, text);
  made.notes = notes;
  made.helps = helps;
  return diagnostic_dict(made);
}

FuncObject with_note(const FuncObject& func, const std::string& name,
                     const std::vector<std::string>& arguments, const std::string& note) {
  Diagnostics said = func.said ? *func.said : Diagnostics();
  said.add(make_diagnostic(id_of(name), {}, arguments)).note(note);
  return {func.func, std::make_shared<const Diagnostics>(std::move(said))};
}

Object snapshots_list(const PipelineResult& result) {
  return list_of(result.snapshots, [](const Snapshot& snapshot) {
    return dict_of("pass", snapshot.pass ? snapshot.pass->name : "", "doc",
                   snapshot.pass ? snapshot.pass->doc : "", "func",
                   snapshot.func ? object_of(FuncObject{snapshot.func, nullptr}) : none(),
                   "milliseconds", snapshot.milliseconds, "decided", snapshot.decided, "reasons",
                   snapshot.reasons, "changed", snapshot.changed);
  });
}

}  // namespace tilelab::python
