// SPDX-License-Identifier: Apache-2.0
#include "views/report_view.h"

#include <algorithm>

#include "core/support/text.h"
#include "core/support/width.h"
#include "views/json.h"
#include "views/output_notes.h"

namespace tilelab {
namespace {

constexpr size_t kDrawn = 100;  // page width for drawing messages

}  // namespace

std::string block_text(const std::array<int64_t, 3>& block) {
  std::string out = "block (" + std::to_string(block[0]);
  // Omit trailing zero coordinates of grids with fewer dimensions.
  int last = block[2] ? 2 : 1;
  for (int i = 1; i <= last; ++i) out += ", " + std::to_string(block[size_t(i)]);
  return out + ")";
}

namespace {

std::string place_text(const Span& span) {
  if (!span.known()) return "";
  return source_name(span.file) + ", line " + std::to_string(span.line);
}

std::string padded(const std::string& text, size_t width) {
  size_t have = size_t(display_width(text));
  return have < width ? text + std::string(width - have, ' ') : text;
}

}  // namespace

LineRow line_row(const Span& span, std::string what) {
  return {span.known() ? place_text(span) : "(made by the compiler)",
          span.known() ? std::string(strip(source_line(span.file, span.line))) : "",
          std::move(what)};
}

void write_rows(const std::vector<LineRow>& rows, RichText& out) {
  size_t where = 0, code = 0;
  for (const LineRow& row : rows) {
    where = std::max(where, size_t(display_width(row.where)));
    code = std::max(code, size_t(display_width(row.code)));
  }
  bool wide =
      2 + where + 4 + code + 4 + 30 > page_columns();  // otherwise the action has a separate line
  for (const LineRow& row : rows) {
    out.add("  " + padded(row.where, where), TextRole::dim).add("    ");
    if (wide && !row.code.empty()) {
      out.add(row.code + "\n").add(std::string(where + 8, ' '));
      out.add(row.what + "\n", TextRole::type);
    } else {
      out.add(row.code.empty() ? "" : padded(row.code, code) + "    ")
          .add(row.what + "\n", TextRole::type);
    }
  }
}

namespace {

bool between(const sim::Finding& finding, std::string_view actors) {
  return !finding.where.empty() && finding.where[0].actor.find(actors) != std::string::npos;
}

std::string help_of_race(const sim::Finding& finding) {
  const auto& sides = finding.where;
  // A thread that only writes can use atomics; one that reads too needs the old values.
  bool reads = std::any_of(sides.begin(), sides.end(), [](const sim::FindingSide& side) {
    return side.verb.find("reads") != std::string::npos;
  });
  const std::string sum = finding.fragment
                              ? "a sum is T.reduce_sum, an extremum T.reduce_max or T.reduce_min"
                              : "a sum is T.atomic_add";
  auto advice = [&](const std::string& who) {
    return (reads ? "write to a second buffer; "
                  : "let each " + who + " write its own elements; ") +
           sum;
  };
  const bool engine = std::any_of(sides.begin(), sides.end(), [](const sim::FindingSide& side) {
    return side.actor.find("issued by") != std::string::npos ||
           side.actor.find("matrix unit") != std::string::npos;
  });
  if (engine)
    return "copies and products go on while threads do: wait for them (a barrier of their own, "
           "cp_wait, mma_wait) before the other access";
  if (between(finding, "iteration"))
    return "iterations of T.Parallel run at once: " + advice("iteration");
  if (between(finding, "block"))
    return "blocks have no order: " + advice("block") +
           "; who waits for another block reads its flag with T.atomic_load until it is set";
  bool one_line = sides.size() == 2 && place_text(sides[0].span) == place_text(sides[1].span);
  if (one_line) return "threads run this line at once: " + advice("thread");
  return "put T.sync_threads() between the two, or write to a second buffer";
}

std::string help_of(const sim::Finding& finding) {
  using sim::FindingKind;
  switch (finding.kind) {
    case FindingKind::race: return help_of_race(finding);
    case FindingKind::out_of_bounds:
      if (finding.element.find('-') != std::string::npos)
        return "guard the access with `if`: indices start at 0";
      break;
    case FindingKind::deadlock:
      if (finding.detail.rfind("ring ", 0) == 0)
        return "compare acquire with release and commit with wait, and who runs each how often";
      break;
    case FindingKind::endless:
      if (finding.detail.find("what it waits for") != finding.detail.npos)
        return "another thread or block has to write what it waits for; look at its value before "
               "the call, too";
      break;
    default: break;
  }
  return sim::finding_help(finding.kind);
}

/// Findings that need all blocks belong to no single block.
bool in_a_block(sim::FindingKind kind) {
  return kind != sim::FindingKind::unwritten && kind != sim::FindingKind::not_zeroed;
}

std::string levels_text(const std::vector<std::string>& levels) {
  std::string out;
  for (size_t i = 0; i < levels.size(); ++i)
    out += (i == 0 ? "" : i + 1 == levels.size() ? " and " : ", ") + levels[i];
  return out + " level";
}

std::vector<std::string> levels_of(std::span<const CheckedRun> runs,
                                   const std::vector<size_t>& which) {
  std::vector<std::string> out;
  for (size_t i : which) out.push_back(runs[i].level);
  return out;
}

void write_head(const sim::Finding& finding, const std::string& levels, RichText& out) {
  std::string what = finding.buffer;
  if (!what.empty() && !finding.element.empty() && finding.element[0] != '[') what += " ";
  what += finding.element;
  // A race between blocks belongs to no single block: its two sides name them.
  bool of_blocks = finding.kind == sim::FindingKind::race && between(finding, "block");
  if (in_a_block(finding.kind) && !of_blocks)
    what += (what.empty() ? "in " : " in ") + block_text(finding.block);
  out.add(sim::finding_name(finding.kind), TextRole::bad).add(": " + what, TextRole::strong);
  if (!finding.detail.empty()) out.add(", " + finding.detail);
  std::string aside = levels;
  if (finding.count > 1)
    aside += (aside.empty() ? "" : ", ") + std::to_string(finding.count) + " times";
  if (!aside.empty()) out.add("  (" + aside + ")", TextRole::dim);
  out.add("\n");
}

/// `levels`: where it was found; "" omits that.
void write_finding(const sim::Finding& finding, const std::string& levels, RichText& out) {
  write_head(finding, levels, out);
  std::vector<LineRow> rows;
  for (const auto* sides : {&finding.where, &finding.related})
    for (const sim::FindingSide& side : *sides)
      rows.push_back(line_row(side.span, side.actor + (side.actor.empty() ? "" : " ") + side.verb));
  if (rows.empty()) out.add("  " + std::string(sim::finding_meaning(finding.kind)) + "\n");
  write_rows(rows, out);
  if (std::string help = help_of(finding); !help.empty())
    out.add("help", TextRole::added).add(": " + help + "\n");
}

void write_note(const sim::Note& note, RichText& out) {
  out.add("note", TextRole::type)
      .add(": " + std::to_string(note.count) + (note.count == 1 ? " access" : " accesses") +
           " outside the tensor, guarded; the first in " + block_text(note.block) + "\n");
  std::string code = note.span.known() ? source_line(note.span.file, note.span.line) : "";
  write_rows({{place_text(note.span), std::string(strip(code)), "reads as 0, stores nothing"}},
             out);
  out.add("help", TextRole::added)
      .add(
          ": if it is meant, write T.if_then_else(inside, x, 0), or T.copy, whose edges are "
          "defined\n");
}

/// The label's line first: it precedes the line at which the compiler acts.
std::vector<Label> places_of(const Diagnostic& d) {
  std::vector<Label> places = d.labels;
  places.push_back({d.span, d.span_text});
  return places;
}

void write_compiler_note(const Diagnostic& d, RichText& out) {
  std::string head = "note[" + std::string(info(d.id).name) + "]", message = d.message;
  if (size_t comma = message.rfind(", "); head.size() + 2 + message.size() > page_columns())
    if (comma != std::string::npos) message.replace(comma, 2, ",\n  ");
  out.add(head, TextRole::type).add(": " + message + "\n");
  std::vector<LineRow> rows;
  for (const Label& place : places_of(d))
    rows.push_back({place_text(place.span),
                    std::string(strip(source_line(place.span.file, place.span.line))), place.text});
  if (d.span.known()) write_rows(rows, out);
  for (const std::string& note : d.notes) out.add("  because " + note + "\n");
  for (const std::string& help : helps_of(d))
    out.add("help", TextRole::added).add(": " + help + "\n");
  out.add("\n");
}

std::string looked_for(const sim::Watch& watch) {
  std::vector<std::string> parts;
  if (watch.races) parts.push_back("no race");
  parts.push_back("no access out of bounds");
  if (watch.uninitialized) parts.push_back("no uninitialised read");
  return join(parts, ", ");
}

using Status = sim::RunResult::Status;

/// The completed runs, as words, and the one with the most accesses.
struct Summary {
  std::vector<std::string> levels;
  const sim::RunResult* most = nullptr;
  bool stopped = false;
};

Summary summary_of(std::span<const CheckedRun> runs) {
  Summary out;
  for (const CheckedRun& run : runs) {
    if (run.result.status == Status::refused) continue;
    out.levels.push_back(run.level);
    out.stopped |= run.result.status == Status::stopped;
    if (!out.most || run.result.accesses > out.most->accesses) out.most = &run.result;
  }
  return out;
}

/// A launch that takes too long is checked in part.
bool cut_off(const CheckedRun& run) {
  return run.result.status == Status::finished && run.result.blocks < run.result.all_blocks;
}

/// "8 blocks", "120 of 1024 blocks": of the run that checked the fewest.
std::string blocks_text(std::span<const CheckedRun> runs, const sim::RunResult& most) {
  const sim::RunResult* least = nullptr;
  for (const CheckedRun& run : runs)
    if (cut_off(run) && (!least || run.result.blocks < least->blocks)) least = &run.result;
  if (!least) return plural(most.blocks, "block");
  return std::to_string(least->blocks) + " of " + plural(least->all_blocks, "block");
}

/// "bounds and order proved for 64 blocks, 2 simulated": for a sample.
std::string proved_text(const sim::RunResult& most) {
  return "bounds and order proved for " + plural(most.proved, "block") + ", " +
         std::to_string(most.blocks) + " simulated";
}

/// A short verdict on the runs. "clean": every level ran all blocks, without findings.
std::string verdict_of(std::span<const CheckedRun> runs, bool found) {
  auto any = [&](Status status) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const CheckedRun& run) { return run.result.status == status; });
  };
  if (found || any(Status::stopped)) return "findings";
  if (any(Status::interrupted)) return "interrupted";
  if (!any(Status::finished)) return "not run";
  if (any(Status::refused)) return "not checked";
  if (std::any_of(runs.begin(), runs.end(), cut_off)) return "checked in part";
  auto all = [&](auto&& holds) {
    return std::all_of(runs.begin(), runs.end(),
                       [&](const CheckedRun& run) { return holds(run.result); });
  };
  if (!all([](const auto& result) { return result.not_finite.empty(); })) return "not all numbers";
  return all([](const auto& result) { return result.unwritten.empty(); }) ? "clean"
                                                                          : "not all written";
}

std::string refusal_of(const CheckedRun& run) {
  const std::string place = place_text(run.result.error_span);
  return run.result.error + (place.empty() ? "" : " (" + place + ")");
}

std::string last_line(std::span<const CheckedRun> runs, size_t findings, const sim::Watch& watch) {
  Summary summary = summary_of(runs);
  if (!summary.most) return runs.empty() ? "not run" : "not run: " + refusal_of(runs[0]);
  const sim::RunResult& r = *summary.most;
  std::string where = levels_text(summary.levels);
  const std::string verdict = verdict_of(runs, findings > 0);
  if (verdict == "interrupted") return "interrupted after " + plural(r.blocks, "block");
  if (findings)
    return plural(static_cast<int64_t>(findings), "finding") + " in " +
           (r.proved ? std::to_string(r.blocks) + " of " : "") +
           plural(r.proved ? r.proved : r.blocks, "block") + " at " + where +
           (summary.stopped ? "; the run stopped there" : "");
  if (r.proved && (verdict == "clean" || verdict.starts_with("not all ")))
    return verdict + ": " + proved_text(r) + " at " + where + "; " + looked_for(watch);
  std::string by = blocks_text(runs, r);
  if (r.threads) by += " of " + plural(r.threads, "thread");
  return verdict + ": " + (r.accesses ? plural(r.accesses, "access") + " by " : "") + by + " at " +
         where + (verdict == "not checked" ? " alone" : "") + "; " + looked_for(watch) +
         (verdict == "checked in part" ? " in these" : "");
}

/// The name and the last line; in two or three lines on a narrow page.
void write_last(const std::string& name, std::string last, bool clean, RichText& out) {
  bool wide = name.size() + 2 + last.size() > page_columns();
  if (size_t semicolon = last.find("; ");
      last.size() + 2 > page_columns() && semicolon < last.size())
    last.replace(semicolon, 2, "\n  ");
  out.add(name + (wide ? ":\n  " : ": "), TextRole::dim)
      .add(last + "\n", clean ? TextRole::added : TextRole::bad);
}

void write_part(const CheckedRun& run, RichText& out) {
  if (!cut_off(run)) return;
  const sim::RunResult& r = run.result;
  out.add(run.level + " level: ", TextRole::dim)
      .add("ran " + std::to_string(r.blocks) + " of " + plural(r.all_blocks, "block") +
           "; %check --all runs them all, however long it takes\n");
}

/// The reason why each block was run.
void write_unproved(const std::vector<Unproved>& unproved, RichText& out) {
  for (const Unproved& one : unproved) {
    const std::string where = place_text(one.span);
    out.add("not proved for all blocks at once, so each ran: ", TextRole::dim)
        .add(one.why + (where.empty() ? "" : " (" + where + ")") + "\n");
  }
}

bool same(const sim::Finding& a, const sim::Finding& b) {
  if (a.kind != b.kind || a.buffer != b.buffer || a.where.size() != b.where.size()) return false;
  auto key = [](const sim::Finding& f) {
    std::vector<std::string> sides;
    for (const sim::FindingSide& side : f.where)
      sides.push_back(place_text(side.span) + " " + side.verb);
    std::sort(sides.begin(), sides.end());
    return sides;
  };
  return key(a) == key(b);
}

/// Adds related locations that only the other level has.
void add_related(const sim::Finding& from, sim::Finding& to) {
  for (const sim::FindingSide& side : from.related) {
    auto known = std::find_if(to.related.begin(), to.related.end(), [&](const auto& s) {
      return place_text(s.span) == place_text(side.span);
    });
    if (known == to.related.end()) to.related.push_back(side);
  }
}

MergedFinding* find_same(std::vector<MergedFinding>& all, const sim::Finding& finding) {
  auto known = std::find_if(all.begin(), all.end(),
                            [&](const MergedFinding& m) { return same(m.finding, finding); });
  return known == all.end() ? nullptr : &*known;
}

/// With their levels and help.
std::vector<LeveledFinding> leveled(std::span<const CheckedRun> runs) {
  std::vector<LeveledFinding> out;
  for (MergedFinding& one : merge_findings(runs)) {
    std::vector<std::string> levels = levels_of(runs, one.runs);
    std::string help = help_of(one.finding);
    out.push_back({std::move(one), std::move(levels), std::move(help)});
  }
  return out;
}

void write_findings(const std::vector<LeveledFinding>& found, bool with_levels, RichText& out) {
  for (const LeveledFinding& one : found) {
    write_finding(one.found.finding, with_levels ? levels_text(one.levels) : "", out);
    out.add("\n");
  }
}

/// Whether a finding is a consequence of another: a read that is too early reads uninitialized
/// memory, and a thread that passes a barrier too early arrives at it too often.
bool follows(const sim::Finding& one, const sim::Finding& cause) {
  using sim::FindingKind;
  const bool race = cause.kind == FindingKind::race;
  switch (one.kind) {
    case FindingKind::uninitialized:
      return (race && cause.buffer == one.buffer) || cause.kind == FindingKind::divergence ||
             cause.kind == FindingKind::deadlock;
    case FindingKind::over_arrival:
    case FindingKind::barrier_bytes: return race;
    default: return false;
  }
}

void causes_first(std::vector<MergedFinding>& all) {
  auto is_cause = [&](const MergedFinding& one) {
    return std::none_of(all.begin(), all.end(), [&](const MergedFinding& other) {
      return follows(one.finding, other.finding);
    });
  };
  std::vector<MergedFinding> causes, rest;
  for (const MergedFinding& one : all) (is_cause(one) ? causes : rest).push_back(one);
  causes.insert(causes.end(), rest.begin(), rest.end());
  all = std::move(causes);
}

/// Merges notes of one line from all levels.
std::vector<sim::Note> merge_notes(std::span<const CheckedRun> runs) {
  std::vector<sim::Note> out;
  for (const CheckedRun& run : runs)
    for (const sim::Note& note : run.result.notes) {
      auto known = std::find_if(out.begin(), out.end(), [&](const sim::Note& n) {
        return n.span.file == note.span.file && n.span.line == note.span.line;
      });
      if (known == out.end())
        out.push_back(note);
      else
        known->count = std::max(known->count, note.count);
    }
  return out;
}

}  // namespace

std::vector<MergedFinding> merge_findings(std::span<const CheckedRun> runs) {
  std::vector<MergedFinding> out;
  for (size_t r = 0; r < runs.size(); ++r) {
    std::vector<MergedFinding> own;  // of this run: a race found from both sides is one
    const std::vector<sim::Finding>& findings = runs[r].result.findings;
    for (size_t i = 0; i < findings.size(); ++i) {
      if (MergedFinding* known = find_same(own, findings[i]))
        known->finding.count += findings[i].count;
      else
        own.push_back({findings[i], {r}, i});
    }
    for (MergedFinding& one : own) {
      MergedFinding* known = find_same(out, one.finding);
      if (!known) {
        out.push_back(std::move(one));
        continue;
      }
      known->runs.push_back(r);
      known->finding.count = std::max(known->finding.count, one.finding.count);
      add_related(one.finding, known->finding);
    }
  }
  causes_first(out);
  return out;
}

Shown show_findings(std::span<const CheckedRun> runs) {
  RichText out;
  const std::vector<LeveledFinding> found = leveled(runs);
  write_findings(found, runs.size() > 1, out);
  if (page_columns() < kDrawn) out = out.hanging();
  return {out.plain(), out.ansi(), html_pre(out.html()), json_of(found)};
}

Shown show_report(std::span<const CheckedRun> runs, const sim::Watch& watch,
                  const std::string& name, const Diagnostics& compiler, const Proof* proof) {
  RichText out;
  CheckReport report{name, "", "", runs, leveled(runs), merge_notes(runs), {}, {}};
  write_findings(report.findings, runs.size() > 1, out);
  // Tile level has reported the errors among them; the remaining ones are the tail of a grid.
  const bool judged = std::any_of(runs.begin(), runs.end(), [](const CheckedRun& run) {
    return run.level == "tile" && run.result.status == Status::finished;
  });
  for (const sim::Note& note : report.notes) {
    if (judged) continue;
    write_note(note, out);
    out.add("\n");
  }
  for (const Diagnostic& d : compiler.all()) {
    if (d.severity != Severity::note) continue;
    write_compiler_note(d, out);
    report.remarks.push_back({std::string(info(d.id).name), d.message, places_of(d)});
  }
  for (const CheckedRun& run : runs)
    if (runs.size() > 1 && run.result.status == Status::refused)
      out.add(run.level + " level: ", TextRole::dim).add("not run: " + refusal_of(run) + "\n");
  report.verdict = verdict_of(runs, !report.findings.empty());
  if (report.findings.empty()) write_output_notes(runs, out);
  if (proof) report.unproved = proof->unproved;
  if (report.findings.empty()) write_unproved(report.unproved, out);
  for (const CheckedRun& run : runs) write_part(run, out);
  report.summary = last_line(runs, report.findings.size(), watch);
  write_last(name, report.summary, report.verdict == "clean", out);
  if (page_columns() < kDrawn) out = out.hanging();
  return {out.plain(), out.ansi(), html_pre(out.html()), json_of(report)};
}

}  // namespace tilelab
