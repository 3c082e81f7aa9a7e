// SPDX-License-Identifier: Apache-2.0
// The module tilelab._core.views: a kernel in the pass pipeline, and the views of it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <unordered_map>
#include <utility>

#include "core/diagnostics/render.h"
#include "core/ir/text/print.h"
#include "core/layout/forward.h"
#include "core/layout/text.h"
#include "core/support/escape.h"
#include "python/compilation.h"
#include "python/results.h"
#include "views/diff.h"
#include "views/explain_view.h"
#include "views/json.h"
#include "views/pipeline_view.h"
#include "views/report_view.h"
#include "views/statement_facts.h"

namespace py = pybind11;

namespace tilelab::python {
namespace {

py::dict shown_dict(const Shown& shown) {
  py::dict out;
  out["text"] = shown.text;
  out["ansi"] = shown.ansi;
  out["html"] = shown.html;
  out["json"] = shown.json;
  if (!shown.latex.empty()) out["latex"] = shown.latex;
  return out;
}

/// Raises a user error: one line, or the compiler's messages.
[[noreturn]] void fail(const std::string& problem) { throw py::value_error(problem); }

using Window = std::vector<std::pair<int64_t, int64_t>>;

py::dict layout_dict(const LayoutSubject& subject, std::optional<Index> element,
                     std::optional<int64_t> thread, std::optional<int64_t> address, bool banks,
                     Window window, bool offsets) {
  std::string problem;
  std::optional<LayoutView> view = view_layout(
      subject, {std::move(element), thread, address, banks, std::move(window), offsets}, &problem);
  if (!view) fail(problem);
  py::dict out = shown_dict({layout_text(*view), layout_text(*view, true), layout_html(*view),
                             json_of(*view), layout_latex(*view)});
  out["svg"] = py::cpp_function([view = *view] { return layout_svg(view); });
  return out;
}

/// A layout with its context, for comparison.
struct LayoutObject {
  LayoutSubject subject;
};

py::dict compared(const LayoutObject& a, const LayoutObject& b) {
  std::string problem;
  std::optional<LayoutDifference> found = compare_layouts(a.subject, b.subject, &problem);
  if (!found) fail(problem);
  const std::string text = hanging(difference_text(*found));
  return shown_dict({text, text, html_pre(html_text(text)), json_of(*found)});
}

/// The views of a compilation, under the kernel's name.
class Pipeline {
 public:
  Pipeline(CompilationRef made, std::string name)
      : name_(std::move(name)),
        made_(std::move(made)),
        result_(made_->result),
        said_(made_->said),
        messages_(render(said_)) {}
  /// The function for another target.
  static Pipeline for_other(const FuncObject& func, const std::string& name,
                            const std::string& target) {
    if (!func.func->after.empty())
      fail(name + " was made for " + func.func->target + " (after " + func.func->after + ")");
    const Target* other = find_target(target);
    if (!other) fail("no target " + target);
    return {compile_for(func, *other), name};
  }

  bool ok() const { return result_.ok; }
  std::string messages() const { return messages_.plain(); }
  std::string text(const std::string& after, const std::string& level, bool spans) const {
    return print(*at(after, level).func, {spans});
  }
  py::dict passes() const { return shown_dict(show_passes(result_, name_)); }
  py::dict ir(const std::string& after, const std::string& level, bool spans) const {
    return shown_dict(show_ir(*at(after, level).func, name_, spans));
  }
  py::dict diff(const std::string& from, const std::string& to) const {
    std::string problem;
    std::optional<Shown> shown = show_pass_diff(result_, name_, from, to, &problem);
    if (!shown) fail(problem);
    return shown_dict(*shown);
  }
  py::dict source(bool host) const {
    if (!result_.ok) fail(messages_.plain());
    Diagnostics sink;
    std::optional<Shown> shown = show_source(*result_.func(), name_, {host}, sink);
    if (!shown) fail(render(sink).plain());
    return shown_dict(*shown);
  }
  py::dict explain(int line) const {
    std::string problem;
    std::optional<Shown> shown = explain_kernel(result_, said_, name_, line, &problem);
    if (!shown) fail(problem);
    return shown_dict(*shown);
  }
  py::dict map(const std::string& after, int line, bool by_code) const {
    std::string problem;
    std::optional<Shown> shown = show_map(result_, name_, {after, line, by_code}, &problem);
    if (!shown) fail(problem);
    return shown_dict(*shown);
  }
  py::dict layout(const std::string& buffer, const std::string& after, std::optional<Index> element,
                  std::optional<int64_t> thread, std::optional<int64_t> address, bool banks,
                  Window window, bool offsets) const {
    return layout_dict(subject(buffer, after), std::move(element), thread, address, banks,
                       std::move(window), offsets);
  }
  LayoutObject layout_object(const std::string& buffer, const std::string& after) const {
    return {subject(buffer, after)};
  }
  std::optional<int64_t> operations() const {
    return operations_of(*result_.snapshots.front().func);
  }
  std::vector<std::string> buffers() const { return buffers_with_layout(*at("", "").func); }

 private:
  LayoutSubject subject(const std::string& buffer, const std::string& after) const {
    std::string problem;
    std::optional<LayoutSubject> found = subject_of(*at(after, "").func, buffer, &problem);
    if (!found) fail(problem);
    return std::move(*found);
  }
  const Snapshot& at(const std::string& after, const std::string& level) const {
    std::string problem;
    const Snapshot* found = choose_snapshot(result_, after, level, &problem);
    if (!found) fail(problem + (result_.ok ? "" : "\n" + messages_.plain()));
    return *found;
  }

  std::string name_;
  CompilationRef made_;
  const PipelineResult& result_;
  const Diagnostics& said_;
  StyledText messages_;
};

/// (level, dict of Func.run) for each run.
std::vector<CheckedRun> runs_of(const py::list& described) {
  std::vector<CheckedRun> runs;
  for (auto item : described) {
    auto pair = item.cast<std::pair<std::string, py::dict>>();
    runs.push_back({pair.first, result_of(pair.second)});
  }
  return runs;
}

/// For runs with all detectors; `made`: source of the compiler's notes.
py::dict report(const py::list& described, const std::string& name, const Compilation& made,
                const Proof* proof) {
  return shown_dict(show_report(runs_of(described), sim::Watch::all(), name, made.said, proof));
}

py::dict findings(const py::list& described) {
  return shown_dict(show_findings(runs_of(described)));
}

/// [(index of the first run, of its finding there, indices of all runs)], with findings of one kind
/// and location merged.
py::list merged(const py::list& described) {
  py::list out;
  std::vector<CheckedRun> runs = runs_of(described);
  for (const MergedFinding& one : merge_findings(runs))
    out.append(py::make_tuple(one.runs.front(), one.first, one.runs));
  return out;
}

/// The digits of a map tabulated by Python, as text, and its swizzle or None; ValueError if it has
/// no digits.
py::tuple digits_of(Index shape, std::vector<Index> coordinates, int64_t replicas, Index threads,
                    int64_t element_bytes) {
  ForwardMap map{std::move(shape), std::move(coordinates), replicas, std::move(threads)};
  ForwardLayout made = layout_of(map, element_bytes);
  if (!made.ok()) throw py::value_error("this layout has no digits");
  const Swizzle& s = made.swizzle;
  return py::make_tuple(to_text(made.layout), s.known() ? py::make_tuple(s.granule, s.line, s.mask)
                                                        : py::object(py::none()));
}

/// The thread, register or address (`kind`) of an element, as a formula of its indices.
std::string formula_of(Index shape, std::vector<Index> coordinates, int64_t replicas, Index threads,
                       char kind) {
  ForwardLayout made =
      layout_of({std::move(shape), std::move(coordinates), replicas, std::move(threads)}, 1);
  if (!made.ok()) throw py::value_error("this layout has no digits");
  return place_formula(made.layout, kind);
}

/// The coordinates of a bank swizzle; None if the shape has no whole panels.
std::optional<std::vector<Index>> swizzled_coordinates(const Index& shape, int64_t element_bytes,
                                                       int64_t panel_bytes) {
  std::optional<ForwardMap> map = bank_swizzled(shape, element_bytes, panel_bytes);
  if (!map) return std::nullopt;
  return std::move(map->coordinates);
}

/// A layout has no dtype, so the caller names that of its elements.
DType known_type(const std::string& name) {
  std::optional<DType> type = dtype_from_name(name);
  if (!type) fail("unknown type " + name);
  return *type;
}

/// A layout written as text: frag([16, 8], [[t(16, 2)], [t(2, 1), r(4, 1)]]) or addr(...).
LayoutObject layout_from_text(const std::string& text, const std::string& name,
                              const std::string& dtype, const std::vector<int32_t>& swizzle) {
  std::optional<Layout> layout = parse_layout(text);
  Swizzle exchanged;
  if (swizzle.size() == 3) exchanged = {swizzle[0], swizzle[1], swizzle[2]};
  if (!layout)
    fail(text +
         " is not a layout; write for example frag([16, 8], [[t(16, 2)], [t(2, 1), r(4, 1)]])");
  return {layout_subject(name, known_type(dtype), *layout, exchanged)};
}

py::dict layout_object_view(const LayoutObject& layout, std::optional<Index> element,
                            std::optional<int64_t> thread, std::optional<int64_t> address,
                            bool banks, Window window, bool offsets) {
  return layout_dict(layout.subject, std::move(element), thread, address, banks, std::move(window),
                     offsets);
}

/// A map tabulated by Python: the form in which T.Layout and T.Fragment are described.
LayoutObject layout_from_map(Index shape, std::vector<Index> coordinates, int64_t replicas,
                             Index threads, const std::string& name, const std::string& dtype) {
  std::string problem;
  auto subject = layout_subject(
      name, known_type(dtype),
      ForwardMap{std::move(shape), std::move(coordinates), replicas, std::move(threads)}, &problem);
  if (!subject) fail(problem);
  return {std::move(*subject)};
}

/// Styled text, (text, style name): the formats of a view.
py::dict rich_text(const std::vector<std::pair<std::string, std::string>>& pieces,
                   const std::string& json) {
  static const std::unordered_map<std::string, TextRole> roles = {
      {"", TextRole::plain},          {"dim", TextRole::dim},         {"strong", TextRole::strong},
      {"keyword", TextRole::keyword}, {"type", TextRole::type},       {"number", TextRole::number},
      {"added", TextRole::added},     {"removed", TextRole::removed}, {"bad", TextRole::bad}};
  RichText out;
  for (const auto& [text, role] : pieces) out.add(text, roles.at(role));
  out = out.hanging();
  return shown_dict({out.plain(), out.ansi(), html_pre(out.html()), json});
}

}  // namespace

namespace {

void bind_pipeline(py::module_& m) {
  py::class_<Pipeline>(m, "Pipeline")
      .def(py::init<CompilationRef, std::string>(), py::arg("compilation"), py::arg("name"))
      .def_static("for_other", &Pipeline::for_other, py::arg("func"), py::arg("name"),
                  py::arg("target"))
      .def_property_readonly("ok", &Pipeline::ok)
      .def_property_readonly("messages", &Pipeline::messages)
      .def_property_readonly("buffers", &Pipeline::buffers)
      .def_property_readonly("operations", &Pipeline::operations)
      .def("text", &Pipeline::text, py::arg("after") = "", py::arg("level") = "",
           py::arg("spans") = false)
      .def("passes", &Pipeline::passes)
      .def("ir", &Pipeline::ir, py::arg("after") = "", py::arg("level") = "",
           py::arg("spans") = false)
      .def("diff", &Pipeline::diff, py::arg("from_") = "", py::arg("to") = "")
      .def("source", &Pipeline::source, py::arg("host") = false)
      .def("explain", &Pipeline::explain, py::arg("line") = 0)
      .def("map", &Pipeline::map, py::arg("after") = "", py::arg("line") = 0,
           py::arg("by_code") = false)
      .def("layout", &Pipeline::layout, py::arg("buffer"), py::arg("after") = "",
           py::arg("element") = py::none(), py::arg("thread") = py::none(),
           py::arg("address") = py::none(), py::arg("banks") = false, py::arg("window") = Window(),
           py::arg("offsets") = false)
      .def("layout_object", &Pipeline::layout_object, py::arg("buffer"), py::arg("after") = "");
}

}  // namespace

void bind_views(py::module_& core) {
  py::module_ m =
      core.def_submodule("views", "views for users; used by the Python code of the package");
  bind_pipeline(m);
  m.def("message_names", &message_names);
  m.def("rich_text", &rich_text, py::arg("pieces"), py::arg("json"));
  m.def("hanging", [](const std::string& text) { return hanging(text); });
  m.def("explained_words", &explained_words);
  m.def("explain_word", [](const std::string& word) {
    std::string problem;
    std::optional<Shown> shown = explain_word(word, &problem);
    if (!shown) fail(problem);
    return shown_dict(*shown);
  });
  m.def("pass_list", [] { return shown_dict(show_pass_list()); });
  m.def("pass_names", [] {
    std::vector<std::string> names;
    for (const PassInfo& pass : all_passes()) names.push_back(pass.name);
    return names;
  });
  m.def("compare", [](const std::string& title, const std::string& a, const std::string& b) {
    return shown_dict(show_diff(title, {{"", diff_lines(a, b)}}));
  });
  m.def("table", [](std::vector<std::string> heads, std::vector<std::vector<std::string>> rows) {
    ViewTable table{std::move(heads), std::move(rows)};
    std::string text = table.text();
    return shown_dict({text, text, table.html(), json_of(table)});
  });
  m.def("report", &report, py::arg("runs"), py::arg("name"), py::arg("compilation"),
        py::arg("proof") = nullptr);
  m.def("findings", &findings, py::arg("runs"));
  m.def("merged", &merged, py::arg("runs"));
  core.def("layout_digits", &digits_of, py::arg("shape"), py::arg("coordinates"),
           py::arg("replicas"), py::arg("threads"), py::arg("element_bytes"));
  core.def("layout_formula", &formula_of, py::arg("shape"), py::arg("coordinates"),
           py::arg("replicas"), py::arg("threads"), py::arg("kind"));
  core.def("bank_swizzled", &swizzled_coordinates, py::arg("shape"), py::arg("element_bytes"),
           py::arg("panel_bytes"));
  py::class_<LayoutObject>(m, "LayoutObject")
      .def(py::init(&layout_from_text), py::arg("text"), py::arg("name") = "layout",
           py::arg("dtype") = "float32", py::arg("swizzle") = std::vector<int32_t>())
      .def_static("of_map", &layout_from_map, py::arg("shape"), py::arg("coordinates"),
                  py::arg("replicas"), py::arg("threads"), py::arg("name") = "layout",
                  py::arg("dtype") = "float32")
      .def("view", &layout_object_view, py::arg("element") = py::none(),
           py::arg("thread") = py::none(), py::arg("address") = py::none(),
           py::arg("banks") = false, py::arg("window") = Window(), py::arg("offsets") = false)
      .def("named",
           [](LayoutObject layout, const std::string& name) {
             layout.subject.name = name;
             return layout;
           })
      .def("compare", &compared, py::arg("other"));
}

}  // namespace tilelab::python
