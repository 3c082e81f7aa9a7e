// SPDX-License-Identifier: Apache-2.0
// The module tilelab._core.views: a kernel in the pass pipeline, and the views of it.
#include <unordered_map>
#include <utility>

#include "core/diagnostics/render.h"
#include "core/ir/text/print.h"
#include "core/layout/forward.h"
#include "core/layout/text.h"
#include "core/support/escape.h"
#include "core/support/text.h"
#include "python/compilation.h"
#include "python/runs.h"
#include "views/diff.h"
#include "views/explain_view.h"
#include "views/json.h"
#include "views/pipeline_view.h"
#include "views/report_view.h"
#include "views/statement_facts.h"

namespace tilelab::python {
namespace {

Object shown_dict(const Shown& shown) {
  Object out =
      dict_of("text", shown.text, "ansi", shown.ansi, "html", shown.html, "json", shown.json);
  if (!shown.latex.empty()) set(out, "latex", shown.latex);
  return out;
}

/// Raises a user error: one line, or the compiler's messages.
[[noreturn]] void fail(const std::string& problem) { throw_error(PyExc_ValueError, problem); }

/// A result that is missing for a stated reason, which becomes an error.
template <class T> T must(std::optional<T> found, const std::string& problem) {
  if (!found) fail(problem);
  return std::move(*found);
}

using Window = std::vector<std::pair<int64_t, int64_t>>;

Object layout_dict(const LayoutSubject& subject, const LayoutQuery& query) {
  std::string problem;
  auto view = view_layout(subject, query, &problem);
  if (!view) fail(problem);
  Object out = shown_dict({layout_text(*view), layout_text(*view, true), layout_html(*view),
                           json_of(*view), layout_latex(*view)});
  set(out, "svg", checked(PyObject_GetAttrString(raw(object_of(*view)), "svg")));  // a method
  return out;
}

/// `problem` is read after `shown` is computed.
Object shown_or_error(const std::optional<Shown>& shown, const std::string& problem) {
  if (!shown) fail(problem);
  return shown_dict(*shown);
}

/// A layout with its context, for comparison.
struct LayoutObject {
  LayoutSubject subject;
};

Object compared(const LayoutObject& a, const LayoutObject& b) {
  std::string problem;
  const auto found = must(compare_layouts(a.subject, b.subject, &problem), problem);
  const std::string text = hanging(difference_text(found));
  return shown_dict({text, text, html_pre(html_text(text)), json_of(found)});
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

  bool ok() const { return result_.ok; }
  std::string messages() const { return messages_.plain(); }
  std::string text(const std::string& after, const std::string& level, bool spans) const {
    return print(*at(after, level).func, {spans});
  }
  Object passes() const { return shown_dict(show_passes(result_, name_)); }
  Object ir(const std::string& after, const std::string& level, bool spans) const {
    return shown_dict(show_ir(*at(after, level).func, name_, spans));
  }
  Object diff(const std::string& from, const std::string& to) const {
    std::string problem;
    return shown_or_error(show_pass_diff(result_, name_, from, to, &problem), problem);
  }
  Object source(bool host) const {
    if (!result_.ok) fail(messages_.plain());
    Diagnostics sink;
    const auto shown = show_source(*result_.func(), name_, {host}, sink);
    return shown_or_error(shown, shown ? "" : render(sink).plain());
  }
  Object explain(int line) const {
    std::string problem;
    return shown_or_error(explain_kernel(result_, said_, name_, line, &problem), problem);
  }
  Object map(const std::string& after, int line, bool by_code) const {
    std::string problem;
    return shown_or_error(show_map(result_, name_, {after, line, by_code}, &problem), problem);
  }
  Object layout(const std::string& buffer, const std::string& after,
                const std::optional<Index>& element, std::optional<int64_t> thread,
                std::optional<int64_t> address, bool banks, const Window& window,
                bool offsets) const {
    return layout_dict(subject(buffer, after), {element, thread, address, banks, window, offsets});
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
    return must(subject_of(*at(after, "").func, buffer, &problem), problem);
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

std::shared_ptr<Pipeline> make_pipeline(const CompilationRef& made, const std::string& name) {
  return std::make_shared<Pipeline>(made, name);
}

/// The function for another target.
std::shared_ptr<Pipeline> pipeline_for(const FuncObject& func, const std::string& name,
                                       const std::string& target) {
  if (!func.func->after.empty())
    fail(name + " was made for " + func.func->target + " (after " + func.func->after + ")");
  const Target* other = find_target(target);
  if (!other) fail("no target " + target);
  return make_pipeline(compile_for(func, *other), name);
}

}  // namespace

/// (level, dict of Func.run)
static void read(const Object& described, CheckedRun& out) {
  auto [level, result] = read_as<std::pair<std::string, sim::RunResult>>(described);
  out.level = std::move(level), out.result = std::move(result);
}

namespace {

/// For runs with all detectors; `made`: source of the compiler's notes.
Object report(const std::vector<CheckedRun>& runs, const std::string& name, const Compilation& made,
              const Proof* proof) {
  return shown_dict(show_report(runs, sim::Watch::all(), name, made.said, proof));
}

Object findings(const std::vector<CheckedRun>& runs) { return shown_dict(show_findings(runs)); }

/// [(index of the first run, of its finding there, indices of all runs)], with findings of one kind
/// and location merged.
Object merged(const std::vector<CheckedRun>& runs) {
  return list_of(merge_findings(runs), [](const MergedFinding& one) {
    return tuple_of(one.runs.front(), one.first, one.runs);
  });
}

/// The digits of a map tabulated by Python, as text, and its swizzle or None; ValueError if it has
/// no digits.
Object digits_of(const Index& shape, const std::vector<Index>& coordinates, int64_t replicas,
                 const Index& threads, int64_t element_bytes) {
  ForwardLayout made = layout_of(ForwardMap{shape, coordinates, replicas, threads}, element_bytes);
  if (!made.ok()) fail("this layout has no digits");
  const Swizzle& s = made.swizzle;
  return tuple_of(to_text(made.layout), s.known() ? tuple_of(s.granule, s.line, s.mask) : none());
}

/// The thread, register or address (`kind`) of an element, as a formula of its indices.
std::string formula_of(const Index& shape, const std::vector<Index>& coordinates, int64_t replicas,
                       const Index& threads, const std::string& kind) {
  ForwardLayout made = layout_of(ForwardMap{shape, coordinates, replicas, threads}, 1);
  if (!made.ok()) fail("this layout has no digits");
  return place_formula(made.layout, kind.at(0));
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
LayoutObject layout_of_text(const std::string& text, const std::string& dtype,
                            const std::vector<int32_t>& swizzle) {
  std::optional<Layout> layout = parse_layout(text);
  Swizzle exchanged;
  if (swizzle.size() == 3) exchanged = {swizzle[0], swizzle[1], swizzle[2]};
  if (!layout)
    fail(text +
         " is not a layout; write for example frag([16, 8], [[t(16, 2)], [t(2, 1), r(4, 1)]])");
  return {layout_subject("layout", known_type(dtype), *layout, exchanged)};
}

Object layout_view(const LayoutObject& layout, const std::optional<Index>& element,
                   std::optional<int64_t> thread, std::optional<int64_t> address, bool banks,
                   const Window& window, bool offsets) {
  return layout_dict(layout.subject, {element, thread, address, banks, window, offsets});
}

/// A map tabulated by Python: the form in which T.Layout and T.Fragment are described.
LayoutObject layout_of_map(const Index& shape, const std::vector<Index>& coordinates,
                           int64_t replicas, const Index& threads, const std::string& name,
                           const std::string& dtype) {
  std::string problem;
  return {must(layout_subject(name, known_type(dtype),
                              ForwardMap{shape, coordinates, replicas, threads}, &problem),
               problem)};
}

LayoutObject renamed(const LayoutObject& layout, const std::string& name) {
  LayoutObject out = layout;
  out.subject.name = name;
  return out;
}

/// Styled text, (text, style name): the formats of a view.
Object rich_text(const std::vector<std::pair<std::string, std::string>>& pieces,
                 const std::string& json) {
  static const std::unordered_map<std::string, Style> roles = {
      {"", Style::plain},          {"dim", Style::dim},         {"strong", Style::strong},
      {"keyword", Style::keyword}, {"type", Style::type},       {"number", Style::number},
      {"added", Style::added},     {"removed", Style::removed}, {"bad", Style::error}};
  StyledText out;
  for (const auto& [text, role] : pieces) out.add(text, roles.at(role));
  out = out.hanging();
  return shown_dict({out.plain(), out.ansi(), html_pre(out.html()), json});
}

Object explained(const std::string& word) {
  std::string problem;
  return shown_or_error(explain_word(word, &problem), problem);
}

std::vector<std::string> pass_names() { return names_of(all_passes()); }

Object compared_texts(const std::string& title, const std::string& a, const std::string& b) {
  return shown_dict(show_diff(title, {{"", diff_lines(a, b)}}));
}

Object table_dict(const std::vector<std::string>& heads,
                  const std::vector<std::vector<std::string>>& rows) {
  ViewTable table{heads, rows};
  const std::string text = table.text();
  return shown_dict({text, text, table.html(), json_of(table)});
}

void bind_view_classes(const Object& module) {
  add_class<LayoutView>(module, "LayoutView", {method<layout_svg>("svg")});
  add_class<Pipeline>(
      module, "Pipeline",
      {property<&Pipeline::ok>("ok"), property<&Pipeline::messages>("messages"),
       property<&Pipeline::buffers>("buffers"), property<&Pipeline::operations>("operations"),
       method<&Pipeline::text>("text", "after?, level?, spans?"),
       method<&Pipeline::passes>("passes"), method<&Pipeline::ir>("ir", "after?, level?, spans?"),
       method<&Pipeline::diff>("diff", "from_?, to?"), method<&Pipeline::source>("source", "host?"),
       method<&Pipeline::explain>("explain", "line?"),
       method<&Pipeline::map>("map", "after?, line?, by_code?"),
       method<&Pipeline::layout>(
           "layout", "buffer, after?, element?, thread?, address?, banks?, window?, offsets?"),
       method<&Pipeline::layout_object>("layout_object", "buffer, after?")});
  add_class<LayoutObject>(
      module, "LayoutObject",
      {method<layout_view>("view", "element?, thread?, address?, banks?, window?, offsets?"),
       method<renamed>("named", "name"), method<compared>("compare", "other")});
}

}  // namespace

void bind_views(const Object& core) {
  const Object module = add_submodule(core, "views");
  bind_view_classes(module);
  add_functions(
      core,
      {function<digits_of>("layout_digits", "shape, coordinates, replicas, threads, element_bytes"),
       function<formula_of>("layout_formula", "shape, coordinates, replicas, threads, kind"),
       function<swizzled_coordinates>("bank_swizzled", "shape, element_bytes, panel_bytes")});
  add_functions(
      module,
      {function<make_pipeline>("pipeline", "compilation, name"),
       function<pipeline_for>("pipeline_for", "func, name, target"),
       function<layout_of_text>("layout_of_text", "text, dtype, swizzle?"),
       function<layout_of_map>("layout_of_map",
                               "shape, coordinates, replicas, threads, name, dtype"),
       function<message_names>("message_names"), function<rich_text>("rich_text", "pieces, json"),
       function<[](const std::string& text) { return hanging(text); }>("hanging", "text"),
       function<explained_words>("explained_words"), function<explained>("explain_word", "word"),
       function<[] { return shown_dict(show_pass_list()); }>("pass_list"),
       function<pass_names>("pass_names"), function<compared_texts>("compare", "title, a, b"),
       function<table_dict>("table", "heads, rows"),
       function<report>("report", "runs, name, compilation, proof?"),
       function<findings>("findings", "runs"), function<merged>("merged", "runs")});
}

}  // namespace tilelab::python
