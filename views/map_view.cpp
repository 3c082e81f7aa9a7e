// SPDX-License-Identifier: Apache-2.0
// %map: maps source lines to lines of IR and of generated code.
#include <algorithm>
#include <map>
#include <set>

#include "codegen/codegen.h"
#include "core/ir/text/print.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "views/explain_view.h"
#include "views/map_view.h"
#include "views/pipeline_view.h"

namespace tilelab {
namespace {

using LinesOf = std::map<uint32_t, std::vector<std::string>>;

/// Statements of the IR by source line in `file`.
LinesOf ir_lines(const Func& func, FileId file) {
  LinesOf out;
  for (const PrintedLine& line : print_lines(func))
    if (line.span.known() && line.span.file == file && !line.text.starts_with("ir("))
      out[line.span.line].push_back(std::string(size_t(line.indent) * 4, ' ') +
                                    std::string(strip(line.text)));
  return out;
}

/// The source files of a function's statements.
std::set<FileId> files_of(const Func& func) {
  std::set<FileId> out;
  for (const PrintedLine& line : print_lines(func))
    if (line.span.known()) out.insert(line.span.file);
  return out;
}

/// Removes the location at the end of a line of code; an unknown one if there is none.
Span strip_location(std::string& line, const std::set<FileId>& files) {
  const size_t mark = line.rfind("// "), colon = line.rfind(':');
  if (mark == std::string::npos || colon == std::string::npos || colon < mark) return {};
  Span span;
  span.line = uint32_t(std::atoi(line.c_str() + colon + 1));
  for (FileId file : files) {
    span.file = file;
    if (line.compare(mark + 3, std::string::npos, codegen::location(span)) != 0) continue;
    line.resize(mark);
    return span;
  }
  return {};
}

/// The renderer writes `// file:line` where the source line changes; following lines without such a
/// comment belong to it. Statements of other files keep the comment.
std::vector<MappedCode> mapped_code(const std::string& text, const Func& func, FileId file) {
  std::vector<MappedCode> out;
  const std::set<FileId> files = files_of(func);
  uint32_t current = 0;
  for (std::string line : split(text, '\n')) {
    const std::string whole = line;
    if (const Span span = strip_location(line, files); span.known()) {
      current = span.file == file ? span.line : 0;
      if (!current) line = whole;
    }
    line.erase(line.find_last_not_of(" \t") + 1);
    out.push_back({uint32_t(out.size() + 1), current, std::move(line)});
    if (out.back().text == "}") current = 0;  // the end of a function
  }
  for (size_t i = out.size(); i-- > 1;)  // a pragma belongs to the loop after it
    if (strip(out[i - 1].text).starts_with("#")) out[i - 1].source = out[i].source;
  while (!out.empty() && out.back().text.empty()) out.pop_back();
  return out;
}

/// Brackets alone add no information.
bool only_brackets(const std::string& code) {
  return code.find_first_not_of("{} ;") == std::string::npos || strip(code) == "} else {";
}

std::map<uint32_t, std::vector<MappedCode>> by_source(const std::vector<MappedCode>& code) {
  std::map<uint32_t, std::vector<MappedCode>> out;
  for (const MappedCode& line : code)
    if (line.source && !only_brackets(line.text)) out[line.source].push_back(line);
  return out;
}

/// The common indentation of all lines.
template <class Lines, class Text> size_t margin_of(const Lines& lines, Text&& text) {
  size_t margin = std::string::npos;
  for (const auto& line : lines) margin = std::min(margin, text(line).find_first_not_of(' '));
  return margin == std::string::npos ? 0 : margin;
}

std::vector<std::string> dedented(std::vector<std::string> lines) {
  const size_t margin = margin_of(lines, [](const std::string& line) { return line; });
  for (std::string& line : lines) line.erase(0, margin);
  return lines;
}

std::vector<MappedCode> dedented(std::vector<MappedCode> lines) {
  const size_t margin = margin_of(lines, [](const MappedCode& line) { return line.text; });
  for (MappedCode& line : lines) line.text.erase(0, margin);
  return lines;
}

/// The pass that removed the last statement of the line.
std::string removed_by(const std::vector<std::pair<std::string, LinesOf>>& stages, uint32_t line) {
  std::string since;
  for (const auto& [pass, lines] : stages)
    since = lines.count(line) ? "" : since.empty() ? pass : since;
  return since;
}

/// Keeps one source line, or with `by_code` the one of a line of code, or of preceding code if that
/// has none. False: there is no such line.
bool pick_line(KernelMap& map, MapOptions& options) {
  uint32_t line = uint32_t(options.line);
  if (options.by_code) {
    const auto one = std::find_if(map.code.begin(), map.code.end(),
                                  [&](const MappedCode& code) { return code.number == line; });
    if (one == map.code.end()) return false;
    const MappedCode found = *one;
    const auto from = [&](const MapRow& row) { return row.line == found.source; };
    options.by_code = std::none_of(map.rows.begin(), map.rows.end(), from);
    if (options.by_code) map.code = {found};
    line = found.source;
  }
  std::erase_if(map.rows, [&](const MapRow& row) { return row.line != line; });
  if (!options.by_code)
    std::erase_if(map.code, [&](const MappedCode& code) { return code.source != line; });
  return options.by_code || !map.rows.empty();
}

/// Removes the common indentation of the kernel's source.
void dedent_sources(KernelMap& map) {
  const size_t margin = margin_of(map.rows, [](const MapRow& row) { return row.source; });
  for (MapRow& row : map.rows) row.source.erase(0, margin);
}

}  // namespace

std::optional<Shown> show_map(const PipelineResult& result, const std::string& name,
                              const MapOptions& options, std::string* problem) {
  const Snapshot* chosen = choose_snapshot(result, options.after, "", problem);
  if (!chosen) return std::nullopt;
  FileId file = source_file(*result.snapshots.front().func);
  std::vector<std::pair<std::string, LinesOf>> stages;
  for (const Snapshot& snapshot : result.snapshots)
    stages.emplace_back(snapshot.pass ? snapshot.pass->name : "elaborate",
                        ir_lines(*snapshot.func, file));
  KernelMap map{
      name, chosen->pass ? "after " + std::string(chosen->pass->name) : "as elaborated", {}, {}};
  const Target* target = find_target(result.func()->target);
  Diagnostics sink;
  if (result.ok && target)
    if (auto rendered = codegen::render(*result.func(), *target, {}, sink))
      map.code = mapped_code(rendered->text, *result.func(), file);
  LinesOf ir = ir_lines(*chosen->func, file);
  auto code = by_source(map.code);
  for (const auto& [line, statements] : stages.front().second) {
    MapRow row{line, std::string(source_line(file, line)), {}, {}, {}};
    if (ir.count(line)) row.ir = dedented(ir.at(line));
    if (code.count(line)) row.code = dedented(code.at(line));
    if (row.code.empty()) row.gone = removed_by(stages, line);
    map.rows.push_back(std::move(row));
  }
  dedent_sources(map);
  std::string missing;
  MapOptions left = options;
  if (map.rows.empty())
    missing = "no line of " + name + " has a source location";
  else if (options.by_code && map.code.empty())
    missing = name + " has no generated code";
  else if (options.line && !pick_line(map, left))
    missing = options.by_code
                  ? "the code of " + name + " has lines 1 to " + std::to_string(map.code.size()) +
                        ", and no line " + std::to_string(options.line)
                  : "line " + std::to_string(options.line) + " of " + name + " has no statement";
  if (!missing.empty()) {
    if (problem) *problem = missing;
    return std::nullopt;
  }
  return left.by_code ? shown_by_code(map) : shown_by_source(map);
}

}  // namespace tilelab
