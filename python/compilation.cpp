// SPDX-License-Identifier: Apache-2.0
#include "python/compilation.h"

#include <pybind11/stl.h>

#include "core/diagnostics/render.h"
#include "core/passes/retarget.h"
#include "python/served_work.h"

namespace py = pybind11;

namespace tilelab::python {

CompilationRef compile_function(const FuncObject& func, PipelineOptions options) {
  auto made = std::make_shared<Compilation>();
  bool done = serve([&](const std::atomic<bool>& stop) {
    options.interrupt = &stop;
    Diagnostics said;
    made->result = run_passes(func.func, said, options);
    if (func.said) made->said = *func.said;
    made->said.append(said);
  });
  if (!done) throw py::error_already_set();
  return made;
}

CompilationRef compile_for(const FuncObject& func, const Target& target) {
  return compile_function({for_target(func.func, target), func.said});
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

py::list diagnostics_list(const Diagnostics& diagnostics) {
  py::list out;
  for (const Diagnostic& d : diagnostics.all()) {
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
    out.append(std::move(one));
  }
  return out;
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
