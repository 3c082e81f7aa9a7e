// SPDX-License-Identifier: Apache-2.0
#include "views/json.h"

#include <nlohmann/json.hpp>

#include "core/support/text.h"

namespace tilelab {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A list of `object` applied to each element.
template <class List, class F> Json list_of(const List& list, F&& object) {
  Json out = Json::array();
  for (const auto& each : list) out.push_back(object(each));
  return out;
}

Json file_of(const Span& span) { return span.known() ? source_name(span.file) : ""; }

std::string place_of(const Span& span) {
  if (!span.known()) return "";
  return source_name(span.file) + ", line " + std::to_string(span.line);
}

Json reason(const Reason& r) { return {{"pass", r.pass}, {"text", r.text}}; }

Json explained(const ExplainedLine& l) {
  return {{"line", l.line}, {"code", l.code}, {"why", list_of(l.why, reason)}};
}

Json map_row(const MapRow& r) {
  const Json code = list_of(r.code, [](const MappedCode& c) -> Json { return c.text; });
  return {{"line", r.line}, {"source", r.source}, {"ir", r.ir}, {"code", code}, {"gone", r.gone}};
}

Json mapped_code(const MappedCode& c) {
  return {{"number", c.number}, {"line", c.source ? Json(c.source) : Json()}, {"text", c.text}};
}

Json pass_run(const PassRun& p) {
  return {{"pass", p.pass},   {"level", p.level},     {"ms", p.milliseconds},
          {"added", p.added}, {"removed", p.removed}, {"decided", p.decided}};
}

Json pipeline(const PipelineRun& run) {
  return {{"kernel", run.kernel},
          {"threads", run.threads},
          {"ok", run.ok},
          {"passes", list_of(run.passes, pass_run)}};
}

Json ir_of(const KernelIr& k) {
  return {{"kernel", k.kernel}, {"after", k.after}, {"level", k.level}, {"ir", k.ir}};
}

Json source_of(const KernelSource& k) {
  return {{"kernel", k.kernel}, {"target", k.target}, {"functions", k.functions}, {"code", k.code}};
}

Json side(const sim::FindingSide& s) {
  return {{"file", file_of(s.span)}, {"line", s.span.line}, {"actor", s.actor}, {"verb", s.verb}};
}

Json finding(const LeveledFinding& one) {
  const sim::Finding& f = one.found.finding;
  return {{"kind", sim::finding_name(f.kind)},
          {"levels", one.levels},
          {"block", f.block},
          {"buffer", f.buffer},
          {"element", f.element},
          {"detail", f.detail},
          {"count", f.count},
          {"where", list_of(f.where, side)},
          {"related", list_of(f.related, side)},
          {"help", one.help}};
}

Json not_finite(const sim::NotFinite& one) {
  Json origin = list_of(one.origin, [](const sim::OriginStep& step) -> Json {
    return {{"where", place_of(step.span)},
            {"block", step.block},
            {"actor", step.actor},
            {"what", step.what}};
  });
  return {{"tensor", one.buffer},     {"nan", one.nan},     {"inf", one.inf},
          {"elements", one.elements}, {"first", one.first}, {"way", std::move(origin)}};
}

Json run_of(const CheckedRun& run) {
  const sim::RunResult& r = run.result;
  return {{"level", run.level},
          {"status", sim::status_name(r.status)},
          {"error", r.error},
          {"blocks", r.blocks},
          {"all_blocks", r.all_blocks},
          {"threads", r.threads},
          {"accesses", r.accesses},
          {"proved", r.proved},
          {"not_finite", list_of(r.not_finite, not_finite)}};
}

/// A note of the compiler.
Json remark(const Remark& r) {
  auto place = [](const Label& label) -> Json {
    return {
        {"file", source_name(label.span.file)}, {"line", label.span.line}, {"text", label.text}};
  };
  return {{"name", r.name}, {"message", r.message}, {"where", list_of(r.places, place)}};
}

Json digit(const LayoutView::DigitRow& row) {
  return {{"dim", row.dim},
          {"kind", std::string(1, row.digit.kind)},
          {"extent", row.digit.extent},
          {"stride", row.digit.stride}};
}

Json grid(const LayoutView::Grid& g) {
  using Cell = LayoutView::Cell;
  Json out = {{"what", g.what},           {"at", g.lead},
              {"vector", g.vector},       {"first_row", g.first_row},
              {"first_col", g.first_col}, {"rows", g.rows},
              {"cols", g.cols},           {"all_rows", g.all_rows},
              {"all_cols", g.all_cols}};
  out["cells"] = list_of(g.cells, [](const Cell& c) -> Json { return c.number; });
  if (!g.cells.empty() && g.cells[0].reg >= 0)
    out["registers"] = list_of(g.cells, [](const Cell& c) -> Json { return c.reg; });
  else
    out["bytes"] = list_of(g.cells, [](const Cell& c) -> Json { return c.byte; });
  return out;
}

Json held(const LayoutView::Held& h) {
  if (h.thread >= 0) return {{"element", h.element}, {"thread", h.thread}, {"register", h.reg}};
  return {{"element", h.element}, {"byte", h.byte}, {"bank", h.bank}};
}

Json bank(const LayoutView::BankLine& line) {
  return {
      {"access", line.access}, {"cycles", line.report.cycles}, {"ideal", line.report.transactions}};
}

Json diff_part(const DiffPart& part) {
  using What = LineDiff::What;
  Json lines = Json::array();
  if (!part.diff.empty())
    lines = list_of(part.diff.lines, [](const LineDiff::Line& line) -> Json {
      const char* mark = line.what == What::added ? "+" : line.what == What::removed ? "-" : " ";
      return mark + line.text;
    });
  Json changed = Json::array();  // [line, begin, end] of words
  for (size_t i = 0; i < part.diff.lines.size() && !part.diff.empty(); ++i)
    for (const auto& [begin, end] : part.diff.lines[i].changed)
      changed.push_back(Json::array({i, begin, end}));
  return {{"part", part.title},
          {"added", part.diff.added},
          {"removed", part.diff.removed},
          {"lines", std::move(lines)},
          {"changed", std::move(changed)}};
}

/// A cell of a table, as a number if its column is numeric.
Json cell(const std::string& head, const std::string& text) {
  const bool number = head.starts_with('>') && text.size() < 18 && is_digits(text);
  return number ? Json(std::stoll(text)) : Json(text);
}

Json row_of(const JsonRow& row) {
  Json out = Json::object();
  for (const JsonField& field : row)
    std::visit([&](const auto& value) { out[field.key] = value; }, field.value);
  return out;
}

}  // namespace

std::string json_of(const MessagePage& p) {
  return text_of({{"name", p.name},
                  {"kind", p.kind},
                  {"message", p.message},
                  {"explanation", p.explanation},
                  {"help", p.help},
                  {"example", p.example}});
}

std::string json_of(const GlossaryTerm& t) {
  return text_of(
      {{"names", t.names}, {"text", t.text}, {"drawing", t.drawing}, {"old_words", t.old_words}});
}

std::string json_of(const ExplainedKernel& k) {
  return text_of({{"kernel", k.kernel}, {"lines", list_of(k.lines, explained)}});
}

std::string json_of(const KernelMap& map) {
  return text_of({{"kernel", map.kernel},
                  {"stage", map.stage},
                  {"lines", list_of(map.rows, map_row)},
                  {"code", list_of(map.code, mapped_code)}});
}

std::string json_of(const PipelineRun& run) { return text_of(pipeline(run)); }
std::string json_of(const KernelIr& ir) { return text_of(ir_of(ir)); }
std::string json_of(const KernelSource& source) { return text_of(source_of(source)); }

std::string json_of(const LayoutDifference& d) {
  return text_of({{"a", d.a},
                  {"b", d.b},
                  {"equal", d.equal},
                  {"first", d.equal ? Json() : Json(d.first)},
                  {"in_a", d.in_a},
                  {"in_b", d.in_b},
                  {"differ", d.count},
                  {"elements", d.elements}});
}

std::string json_of(const LayoutView& view) {
  return text_of({{"title", view.title},
                  {"summary", view.summary},
                  {"layout", view.digits_text},
                  {"digits", list_of(view.digits, digit)},
                  {"notes", view.notes},
                  {"answers", view.answers},
                  {"held", list_of(view.held, held)},
                  {"banks", list_of(view.banks, bank)},
                  {"grid", grid(view.grid)},
                  {"more", list_of(view.more, grid)}});
}

std::string json_of(const std::vector<LeveledFinding>& findings) {
  return text_of(list_of(findings, finding));
}

std::string json_of(const CheckReport& report) {
  Json notes = list_of(report.notes, [](const sim::Note& note) -> Json {
    return {{"where", place_of(note.span)}, {"count", note.count}};
  });
  for (const Remark& r : report.remarks) notes.push_back(remark(r));
  Json unproved = list_of(report.unproved, [](const Unproved& one) -> Json {
    return {{"where", place_of(one.span)}, {"why", one.why}};
  });
  return text_of({{"kernel", report.kernel},
                  {"clean", report.verdict == "clean"},
                  {"verdict", report.verdict},
                  {"summary", report.summary},
                  {"runs", list_of(report.runs, run_of)},
                  {"unproved", std::move(unproved)},
                  {"findings", list_of(report.findings, finding)},
                  {"notes", std::move(notes)}});
}

std::string json_of(const std::string& title, const std::vector<DiffPart>& parts) {
  return text_of({{"title", title}, {"parts", list_of(parts, diff_part)}});
}

std::string json_of(const ViewTable& table) {
  return text_of(list_of(table.rows, [&](const std::vector<std::string>& row) {
    Json out = Json::object();
    for (size_t c = 0; c < table.heads.size(); ++c)
      out[table.heads[c].substr(table.heads[c].starts_with('>'))] = cell(table.heads[c], row[c]);
    return out;
  }));
}

std::string json_of(const std::vector<JsonRow>& rows) { return text_of(list_of(rows, row_of)); }

std::string json_of(const JsonRow& fields, const char* key, const std::vector<JsonRow>& rows) {
  Json out = row_of(fields);
  out[key] = list_of(rows, row_of);
  return text_of(out);
}

std::string json_of(const PipelineRun& passes, const std::vector<KernelIr>& snapshots,
                    const KernelSource* source, const std::string& target) {
  return text_of({{"kernel", passes.kernel},
                  {"target", target},
                  {"passes", pipeline(passes)},
                  {"snapshots", list_of(snapshots, ir_of)},
                  {"source", source ? source_of(*source) : Json()}});
}

}  // namespace tilelab
