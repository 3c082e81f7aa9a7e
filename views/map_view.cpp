// SPDX-License-Identifier: Apache-2.0
// %map: which lines of IR and of generated code each source line became.
#include <algorithm>
#include <map>

#include "codegen/codegen.h"
#include "core/ir/print.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "views/explain_view.h"
#include "views/highlight.h"
#include "views/json.h"
#include "views/pipeline_view.h"

namespace tilelab {
namespace {

using LinesOf = std::map<uint32_t, std::vector<std::string>>;

/// Statements of the IR by the line that they come from, where that is in `file`.
LinesOf ir_lines(const Func& func, FileId file) {
  LinesOf out;
  for (const PrintedLine& line : print_lines(func))
    if (line.span.known() && line.span.file == file)
      out[line.span.line].push_back(std::string(size_t(line.indent) * 4, ' ') +
                                    std::string(strip(line.text)));
  return out;
}

/// The renderer says `// file:line` where a statement of another line begins; what follows without
/// such a comment belongs to it.
LinesOf code_lines(const std::string& text, const std::string& file) {
  LinesOf out;
  uint32_t current = 0;
  std::string pragma;  // belongs to the loop that follows
  std::string mark = "// " + file + ":";
  for (const std::string& line : split(text, '\n')) {
    std::string code = line;
    if (size_t at = line.rfind(mark); at != std::string::npos) {
      current = uint32_t(std::atoi(line.c_str() + at + mark.size()));
      code = line.substr(0, at);
    }
    code.erase(code.find_last_not_of(" \t") + 1);
    bool bare = code.empty() || code.find_first_not_of("{} ;") == std::string::npos;
    if (!current || bare) continue;
    if (strip(code)[0] == '#') {
      pragma = code;
      continue;
    }
    if (!pragma.empty()) out[current].push_back(pragma);
    pragma.clear();
    out[current].push_back(code);
  }
  return out;
}

/// Without the blanks that all lines begin with.
std::vector<std::string> dedented(std::vector<std::string> lines) {
  size_t margin = std::string::npos;
  for (const std::string& line : lines) margin = std::min(margin, line.find_first_not_of(' '));
  for (std::string& line : lines) line.erase(0, margin);
  return lines;
}

/// The pass behind which no statement of the line is left, for good.
std::string taken_by(const std::vector<std::pair<std::string, LinesOf>>& stages, uint32_t line) {
  std::string since;
  for (const auto& [pass, lines] : stages)
    since = lines.count(line) ? "" : since.empty() ? pass : since;
  return since;
}

void write_block(const char* what, const std::vector<std::string>& lines, Language language,
                 Toned& out) {
  for (const std::string& line : lines)
    for (const std::string& part : split(wrap_code(line, language, view_columns() - 12), '\n')) {
      if (part.empty()) continue;
      out.add("       " + std::string(what) + " ", Tone::dim)
          .append(highlight(part + "\n", language));
    }
}

Shown shown_map(const KernelMap& map) {
  Toned out;
  const std::string name = "  " + map.kernel,
                    what = name + "  IR " + map.stage + ", generated code";
  out.add(name, Tone::strong).add(hanging(what).substr(name.size()) + "\n", Tone::dim);
  for (const MapRow& row : map.rows) {
    std::string number = std::to_string(row.line);
    out.add(std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + "  ",
            Tone::strong);
    std::string source(strip(wrap_code(row.source, Language::python, view_columns() - 7)));
    for (size_t at = 0; (at = source.find('\n', at)) != std::string::npos; at += 8)
      source.insert(at + 1, 7, ' ');
    out.append(highlight(source + "\n", Language::python));
    write_block("ir", row.ir, Language::python, out);
    write_block("c ", row.code, Language::c, out);
    if (!row.gone.empty())
      out.add(hanging("       nothing is left of it since " + row.gone) + "\n", Tone::dim);
  }
  return {out.plain(), out.ansi(), html_pre(out.html()), json_of(map)};
}

}  // namespace

std::optional<Shown> show_map(const PipelineResult& result, const std::string& name,
                              const std::string& after, std::string* problem) {
  const Snapshot* chosen = choose_snapshot(result, after, "", problem);
  if (!chosen) return std::nullopt;
  FileId file = source_file(*result.snapshots.front().func);
  std::vector<std::pair<std::string, LinesOf>> stages;
  for (const Snapshot& snapshot : result.snapshots)
    stages.emplace_back(snapshot.pass ? snapshot.pass->name : "elaborate",
                        ir_lines(*snapshot.func, file));
  LinesOf code, ir = ir_lines(*chosen->func, file);
  const Target* target = find_target(result.func()->target);
  Diagnostics sink;
  if (result.ok && target && target->family != Family::cpu)
    if (auto rendered = codegen::render(*result.func(), *target, {}, sink))
      code = code_lines(rendered->text, source_name(file));
  KernelMap map{
      name, chosen->pass ? "after " + std::string(chosen->pass->name) : "as elaborated", {}};
  for (const auto& [line, statements] : stages.front().second) {
    MapRow row{line, std::string(strip(source_line(file, line))), {}, {}, {}};
    if (ir.count(line)) row.ir = dedented(ir.at(line));
    if (code.count(line)) row.code = dedented(code.at(line));
    if (row.code.empty()) row.gone = taken_by(stages, line);
    map.rows.push_back(std::move(row));
  }
  if (map.rows.empty()) {
    if (problem) *problem = "no line of " + name + " says where it comes from";
    return std::nullopt;
  }
  return shown_map(map);
}

}  // namespace tilelab
