// SPDX-License-Identifier: Apache-2.0
#include "views/report_view.h"

#include <algorithm>

#include "core/support/escape.h"
#include "core/support/text.h"
#include "core/support/width.h"

namespace tilelab {
namespace {

std::string block_text(const std::array<int64_t, 3>& block) {
  std::string out = "block (" + std::to_string(block[0]);
  // Coordinates that are zero at the end say nothing in a grid of fewer dimensions.
  int last = block[2] ? 2 : 1;
  for (int i = 1; i <= last; ++i) out += ", " + std::to_string(block[size_t(i)]);
  return out + ")";
}

std::string place_text(const Span& span) {
  if (!span.known()) return "";
  return source_name(span.file) + ", line " + std::to_string(span.line);
}

/// One side of a finding: where, the line, who did what.
struct Row {
  std::string where, code, what;
};

std::string padded(const std::string& text, size_t width) {
  size_t have = size_t(display_width(text));
  return have < width ? text + std::string(width - have, ' ') : text;
}

void write_rows(const std::vector<Row>& rows, Toned& out) {
  size_t where = 0, code = 0;
  for (const Row& row : rows) {
    where = std::max(where, size_t(display_width(row.where)));
    code = std::max(code, size_t(display_width(row.code)));
  }
  bool wide = 2 + where + 4 + code + 4 + 30 > kViewColumns;  // else what was done has its own line
  for (const Row& row : rows) {
    out.add("  " + padded(row.where, where), Tone::dim).add("    ");
    if (wide && !row.code.empty()) {
      out.add(row.code + "\n").add(std::string(where + 8, ' '));
      out.add(row.what + "\n", Tone::type);
    } else {
      out.add(row.code.empty() ? "" : padded(row.code, code) + "    ")
          .add(row.what + "\n", Tone::type);
    }
  }
}

const char* help_of(sim::FindingKind kind) {
  switch (kind) {
    case sim::FindingKind::race:
      return "write to a second buffer or wait in between; between blocks, use atomics";
    case sim::FindingKind::uninitialized:
      return "T.clear or T.fill the buffer, or copy into it, before it is read";
    case sim::FindingKind::out_of_bounds:
      return "compare the index with the buffer's extent, or allocate more";
    case sim::FindingKind::pending:
      return "wait for the operation before its data are used or the kernel ends";
    case sim::FindingKind::deadlock:
      return "count who arrives at the barrier, and whether all of them get there";
    case sim::FindingKind::divergence:
      return "move the operation out of the condition, so that all of its threads reach it";
    default: return "";
  }
}

void write_finding(const sim::Finding& finding, Toned& out) {
  std::string what = finding.buffer;
  if (!what.empty() && !finding.element.empty() && finding.element[0] != '[') what += " ";
  what += finding.element;
  what += (what.empty() ? "in " : " in ") + block_text(finding.block);
  out.add(sim::finding_name(finding.kind), Tone::bad).add(": " + what, Tone::strong);
  if (!finding.detail.empty()) out.add(", " + finding.detail);
  if (finding.count > 1) out.add("  (" + std::to_string(finding.count) + " times)", Tone::dim);
  out.add("\n");
  std::vector<Row> rows;
  for (const auto* sides : {&finding.where, &finding.related})
    for (const sim::FindingSide& side : *sides) {
      std::string code = side.span.known() ? source_line(side.span.file, side.span.line) : "";
      rows.push_back({place_text(side.span), std::string(strip(code)),
                      side.actor + (side.actor.empty() ? "" : " ") + side.verb});
    }
  write_rows(rows, out);
  if (*help_of(finding.kind))
    out.add("help", Tone::added).add(": " + std::string(help_of(finding.kind)) + "\n");
}

void write_note(const sim::Note& note, Toned& out) {
  out.add("note", Tone::type)
      .add(": " + std::to_string(note.count) + (note.count == 1 ? " access" : " accesses") +
           " outside the tensor, guarded; the first in " + block_text(note.block) + "\n");
  std::string code = note.span.known() ? source_line(note.span.file, note.span.line) : "";
  write_rows({{place_text(note.span), std::string(strip(code)), "reads as 0, stores nothing"}},
             out);
  out.add("help", Tone::added)
      .add(
          ": if it is meant, write T.if_then_else(inside, x, 0), or T.copy, whose edges are "
          "defined\n");
}

std::string looked_for(const sim::Watch& watch) {
  std::vector<std::string> parts;
  if (watch.races) parts.push_back("no race");
  parts.push_back("no access out of bounds");
  if (watch.uninitialized) parts.push_back("no uninitialised read");
  return join(parts, ", ");
}

std::string finding_json(const sim::Finding& finding) {
  std::vector<std::string> sides;
  for (const sim::FindingSide& side : finding.where)
    sides.push_back(
        "{\"file\": " + json_text(side.span.known() ? source_name(side.span.file) : "") +
        ", \"line\": " + std::to_string(side.span.line) + ", \"actor\": " + json_text(side.actor) +
        ", \"verb\": " + json_text(side.verb) + "}");
  return "{\"kind\": " + json_text(sim::finding_name(finding.kind)) + ", \"block\": [" +
         std::to_string(finding.block[0]) + ", " + std::to_string(finding.block[1]) + ", " +
         std::to_string(finding.block[2]) + "], \"buffer\": " + json_text(finding.buffer) +
         ", \"element\": " + json_text(finding.element) +
         ", \"detail\": " + json_text(finding.detail) +
         ", \"count\": " + std::to_string(finding.count) + ", \"where\": " + json_array(sides) +
         "}";
}

std::string last_line(const sim::RunResult& result, const sim::Watch& watch) {
  using Status = sim::RunResult::Status;
  if (result.status == Status::refused) return "not run: " + result.error;
  if (result.status == Status::interrupted)
    return "interrupted after " + plural(result.blocks, "block");
  if (!result.findings.empty())
    return plural(int64_t(result.findings.size()), "finding") + " in " +
           plural(result.blocks, "block") +
           (result.status == Status::stopped ? "; the run stopped there" : "");
  return "clean: " + plural(result.blocks, "block") + ", " + looked_for(watch);
}

}  // namespace

Shown show_report(const sim::RunResult& result, const sim::Watch& watch, const std::string& name) {
  Toned out;
  std::vector<std::string> findings, notes;
  for (const sim::Finding& finding : result.findings) {
    write_finding(finding, out);
    out.add("\n");
    findings.push_back(finding_json(finding));
  }
  for (const sim::Note& note : result.notes) {
    write_note(note, out);
    out.add("\n");
    notes.push_back("{\"where\": " + json_text(place_text(note.span)) +
                    ", \"count\": " + std::to_string(note.count) + "}");
  }
  std::string last = last_line(result, watch);
  bool wide = name.size() + 2 + last.size() > kViewColumns;
  out.add(name + (wide ? ":\n  " : ": "), Tone::dim)
      .add(last + "\n", result.ok() ? Tone::added : Tone::bad);
  return {
      out.plain(), out.ansi(), html_pre(out.html()),
      "{\"kernel\": " + json_text(name) + ", \"clean\": " + (result.ok() ? "true" : "false") +
          ", \"summary\": " + json_text(last) + ", \"blocks\": " + std::to_string(result.blocks) +
          ", \"findings\": " + json_array(findings) + ", \"notes\": " + json_array(notes) + "}"};
}

}  // namespace tilelab
