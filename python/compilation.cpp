// SPDX-License-Identifier: Apache-2.0
#include "python/compilation.h"

#include <pybind11/stl.h>

#include "core/diagnostics/allow.h"
#include "core/diagnostics/render.h"
#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/builtins.h"
#include "core/passes/pipeline/resume.h"
#include "core/passes/pipeline/retarget.h"
#include "core/passes/shared/hardware_units.h"
#include "core/sim/program/endless.h"
#include "core/support/check.h"
#include "python/served_work.h"

namespace py = pybind11;

namespace tilelab::python {

bool FuncObject::waits() const { return sim::waits_for_others(*func); }

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
  if (!done) throw py::error_already_set();
  return made;
}

CompilationRef compile_for(const FuncObject& func, const Target& target) {
  return compile_function({for_target(func.func, target), func.said, func.from_text});
}

py::dict place(const Span& span) {
  py::dict out;
  out["file"] = span.known() ? source_name(span.file) : std::string();
  out["line"] = span.line;
  out["column"] = span.col;
  out["end_line"] = span.end_line;
  out["end_column"] = span.end_col;
  return out;
}

namespace {

py::dict diagnostic_dict(const Diagnostic& d) {
  StyledText styled = render(d);
  py::dict one;
  one["name"] = std::string(info(d.id).name);
  one["severity"] = std::string(severity_name(d.severity));
  one["error"] = d.is_error();
  one["message"] = d.message;
  one["span"] = place(d.span);
  one["text"] = styled.plain();
  one["ansi"] = styled.ansi();
  one["html"] = styled.html();
  return one;
}

Diag id_of(const std::string& name) {
  for (int i = 0; i < diagnostics_count; ++i)
    if (info(static_cast<Diag>(i)).name == name) return static_cast<Diag>(i);
  UNREACHABLE("no message " + name);
}

Span span_at(const py::object& at) {
  if (at.is_none()) return {};
  auto parts = at.cast<py::tuple>();
  std::string file = parts[0].cast<std::string>();
  FileId id = parts[1].is_none() ? source_id(file) : add_source(file, parts[1].cast<std::string>());
  return {id, parts[2].cast<uint32_t>(), parts[3].cast<uint32_t>(), parts[4].cast<uint32_t>(),
          parts[5].cast<uint32_t>()};
}

}  // namespace

py::list diagnostics_list(const Diagnostics& diagnostics) {
  py::list out;
  for (const Diagnostic& d : diagnostics.all()) out.append(diagnostic_dict(d));
  return out;
}

py::dict message_of(const std::string& name, const std::vector<std::string>& arguments,
                    const py::object& at, const std::string& mark, const py::list& labels,
                    const std::vector<std::string>& notes, const std::vector<std::string>& helps) {
  Diagnostic made = make_diagnostic(id_of(name), span_at(at), arguments);
  made.mark(mark);
  for (auto item : labels) {
    auto pair = item.cast<py::tuple>();
    made.label(span_at(pair[0]), pair[1].cast<std::string>());
  }
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

py::list snapshots_list(const PipelineResult& result) {
  py::list snapshots;
  for (const Snapshot& snapshot : result.snapshots) {
    py::dict one;
    one["pass"] = snapshot.pass ? std::string(snapshot.pass->name) : std::string();
    one["doc"] = snapshot.pass ? std::string(snapshot.pass->doc) : std::string();
    one["func"] = snapshot.func ? py::cast(FuncObject{snapshot.func, nullptr}) : py::none();
    one["milliseconds"] = snapshot.milliseconds;
    one["decided"] = snapshot.decided;
    one["reasons"] = snapshot.reasons;
    one["changed"] = snapshot.changed;
    snapshots.append(std::move(one));
  }
  return snapshots;
}

}  // namespace tilelab::python
