// SPDX-License-Identifier: Apache-2.0
// %explain as text, HTML and JSON.
#include "views/explain_view.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "core/diagnostics/usage.h"
#include "core/ir/text/print.h"
#include "core/ir/tile_op.h"
#include "core/ir/traverse.h"
#include "core/sim/sim.h"
#include "core/support/escape.h"
#include "core/support/text.h"
#include "views/glossary.h"
#include "views/highlight.h"
#include "views/json.h"
#include "views/pipeline_view.h"
#include "views/statement_facts.h"

namespace tilelab {
namespace {

/// Words in lines of at most page_columns(), indented by `margin`.
std::string paragraph(const std::string& text, size_t margin) {
  std::string out, line;
  for (const std::string& word : split(text, ' ')) {
    if (!line.empty() && margin + line.size() + 1 + word.size() > page_columns()) {
      out += std::string(margin, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + std::string(margin, ' ') + line + "\n";
}

/// A line of an example, indented by a margin; the continuation of a long line is indented further.
std::string folded(std::string line) {
  constexpr size_t margin = 4;
  const size_t room = page_columns() - margin;
  std::string out;
  while (line.size() > room) {
    const size_t words = line.find_first_not_of(' ');
    size_t end = line.rfind(' ', room);
    if (end == std::string::npos || end <= words) end = room;
    out += std::string(margin, ' ') + line.substr(0, end) + "\n";
    const std::string hang(std::min(words + 4, room / 2), ' ');
    line = hang + line.substr(line.find_first_not_of(' ', end));
  }
  return out + std::string(margin, ' ') + line + "\n";
}

Shown message_page(const MessagePage& page) {
  // The help in an example already shows what to do.
  const bool shown = page.example.find("\nhelp: ") != std::string::npos;
  const std::string to_do = shown || page.help.empty() ? "" : "What to do: " + page.help + ".";
  StyledText out;
  out.add(page.name, Style::strong).add("  " + page.kind, Style::dim).add("\n");
  if (!page.message.empty()) out.add(paragraph(page.message, 2), Style::error);
  out.add("\n" + paragraph(page.explanation, 2));
  if (!to_do.empty()) out.add("\n" + paragraph(to_do, 2));
  if (!page.example.empty()) {
    out.add("\n  For example:\n\n", Style::dim);
    for (const std::string& line : split(page.example, '\n')) out.add(folded(line));
  }
  auto block = [](const std::string& open, const std::string& text, const std::string& close) {
    return text.empty() ? "" : open + html_text(text) + close;
  };
  return {out.plain(), out.ansi(),
          "<div><b>" + html_text(page.name) + "</b> " + html_text(page.kind) +
              block("<div><code>", page.message, "</code></div>") + "<p>" +
              html_text(page.explanation) + "</p>" + block("<p>", to_do, "</p>") +
              block("<pre style=\"font-family:monospace\">", page.example, "</pre>") + "</div>",
          json_of(page)};
}

Shown term_page(const GlossaryTerm& term) {
  StyledText out;
  out.add(join(term.names, ", "), Style::strong).add("\n\n" + paragraph(term.text, 2));
  if (!term.drawing.empty()) out.add("\n" + term.drawing);
  if (!term.old_words.empty()) out.add("\n  Old words: " + term.old_words + "\n", Style::dim);
  return {out.plain(), out.ansi(), html_pre(out.html()), json_of(term)};
}

/// The table's message with a word in place of each placeholder.
std::string readable(std::string_view message) {
  std::string out(message);
  for (size_t at; (at = out.find("{}")) != std::string::npos;) out.replace(at, 2, "...");
  return out;
}

template <class F> void for_each_finding(F&& f) {
  for (int i = 0; i < static_cast<int>(sim::FindingKind::count_); ++i)
    f(static_cast<sim::FindingKind>(i));
}

using ReasonsByLine = std::map<int, std::vector<Reason>>;

/// "12: copy: 16-byte accesses": the line number first, 0 if there is none.
void add_reason(const std::string& pass, const std::string& text, ReasonsByLine& out) {
  size_t colon = text.find(": ");
  if (colon != std::string::npos && is_digits(text.substr(0, colon)))
    out[std::atoi(text.c_str())].push_back({pass, text.substr(colon + 2)});
  else
    out[0].push_back({pass, text});
}

/// The final lowering of the copies of a line.
std::set<CopyBy> copies_at(const Func& func, FileId file, int line) {
  std::set<CopyBy> out;
  for_each(func, [&](const Copy& copy) {
    if (copy.span.file == file && int(copy.span.line) == line) out.insert(copy.by);
  });
  return out;
}

/// Explains copies that a later pass moved from the copy engine to another lowering, fully or in
/// part.
void explain_changed_copies(const Func& last, FileId file, ReasonsByLine& all) {
  constexpr std::string_view engine = "copy: by the copy engine";
  constexpr std::string_view threads = "copy: loads and stores by the threads";
  for (auto& [line, reasons] : all)
    for (Reason& reason : reasons) {
      if (reason.text != engine && reason.text != threads) continue;
      const std::set<CopyBy> by = copies_at(last, file, line);
      const bool ends_there = by.count(CopyBy::engine) != 0;
      if (by.empty() || ends_there == (reason.text == engine)) continue;
      if (ends_there) {
        reason.text += " into shared memory, then by the copy engine";
        continue;
      }
      reason.text = "copy: " +
                    std::string(by.count(CopyBy::async) ? "asynchronous copies of the threads"
                                                        : "loads and stores by the threads") +
                    "; the copy engine could do it, but a later pass changed the copies of the "
                    "kernel back (see schedule_pipelines for the whole kernel)";
    }
}

/// The printed statements of the kernels, by line.
std::map<int, std::vector<std::string>> statements_of(const Func& func, FileId file) {
  std::map<int, std::vector<std::string>> out;
  bool in_kernel = false;
  for (const PrintedLine& line : print_lines(func)) {
    in_kernel = in_kernel || (line.node && line.node->kind == Kind::Kernel);
    if (!in_kernel || !line.node || line.span.file != file || !line.span.known()) continue;
    std::vector<std::string>& texts = out[int(line.span.line)];
    std::string text(strip(line.text));
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return out;
}

/// For statements without other reasons: their final form, or the pass that removed them.
void add_remaining(const PipelineResult& result, FileId file, ReasonsByLine& out) {
  std::map<int, Reason> rest;
  for (const Snapshot& snapshot : result.snapshots) {
    if (snapshot.func->level != Level::tile) break;
    auto now = statements_of(*snapshot.func, file);
    if (!snapshot.pass)
      for (const auto& [line, texts] : now) rest[line];
    for (auto& [line, reason] : rest) {
      if (now.count(line))
        reason = {"becomes", join(now.at(line), "; ")};
      else if (reason.pass == "becomes")
        reason = {snapshot.pass->name, "removed"};
    }
  }
  for (auto& [line, reason] : rest)
    if (!out.count(line)) out[line].push_back(std::move(reason));
}

ReasonsByLine reasons_of(const PipelineResult& result, const Diagnostics& notes, FileId file) {
  ReasonsByLine out;
  if (const Snapshot* last = choose_snapshot(result, "", "tile", nullptr))
    out = statement_facts(*last->func, file);
  for (const Snapshot& snapshot : result.snapshots) {
    if (!snapshot.pass) continue;
    if (snapshot.reasons.empty() && !snapshot.decided.empty())
      out[0].push_back({snapshot.pass->name, snapshot.decided});
    for (const std::string& reason : snapshot.reasons) add_reason(snapshot.pass->name, reason, out);
  }
  if (const Snapshot* last = choose_snapshot(result, "", "tile", nullptr))
    explain_changed_copies(*last->func, file, out);
  if (const std::string note = note_of_aligned_calls(*result.snapshots.front().func); !note.empty())
    out[0].push_back({"calls", note});
  add_remaining(result, file, out);
  for (const Diagnostic& d : notes.all())
    if (!d.is_error()) {
      std::string text = d.message;
      for (const std::string& note : d.notes) text += ": " + note;
      out[static_cast<int>(d.span.line)].push_back({std::string(info(d.id).name), std::move(text)});
    }
  return out;
}

/// The pass, and its text in a second column, or below it on a narrow page.
void write_reason(const Reason& reason, StyledText& out) {
  constexpr size_t kColumn = 28;
  out.add("    " + reason.pass, Style::type);
  bool beside = reason.pass.size() + 5 <= kColumn && page_columns() >= 2 * kColumn;
  if (beside)
    out.add(paragraph(reason.text, kColumn).substr(4 + reason.pass.size()));
  else
    out.add("\n" + paragraph(reason.text, std::min<size_t>(kColumn, page_columns() / 5)));
}

std::string nothing_at(int line, const ReasonsByLine& all, const std::string& name) {
  std::vector<std::string> lines;
  for (const auto& [number, reasons] : all)
    if (number > 0) lines.push_back(std::to_string(number));
  return "the compiler made no decisions in line " + std::to_string(line) + " of " + name +
         (lines.empty() ? "" : "; in " + join(lines, ", ") + " it did");
}

void write_code_line(int number, const std::string& code, StyledText& out) {
  std::string head = "  line " + std::to_string(number) + "  ";
  for (const WrappedPart& part : wrap_line(code, Language::python, page_columns() - head.size())) {
    out.add(head + part.margin, Style::dim)
        .add(code.substr(part.begin, part.end - part.begin) + "\n");
    head.assign(head.size(), ' ');
  }
}

}  // namespace

FileId source_file(const Func& func) {
  std::map<FileId, int> statements;
  for (const PrintedLine& line : print_lines(func))
    if (line.node && line.span.known()) ++statements[line.span.file];
  auto most = std::max_element(statements.begin(), statements.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == statements.end() ? FileId{} : most->first;
}

std::vector<std::string> message_names() {
  std::vector<std::string> names;
  for (int i = 0; i < diagnostics_count; ++i) names.emplace_back(info(static_cast<Diag>(i)).name);
  for_each_finding([&](sim::FindingKind kind) { names.emplace_back(sim::finding_name(kind)); });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> explained_words() {
  std::vector<std::string> words = message_names(), terms = glossary_words();
  words.insert(words.end(), terms.begin(), terms.end());
  return words;
}

std::optional<Shown> explain_word(const std::string& given, std::string* problem) {
  const std::string name(current_name(given));
  for (int i = 0; i < diagnostics_count; ++i) {
    const DiagInfo& row = info(static_cast<Diag>(i));
    if (row.name != name) continue;
    std::string explanation(row.explanation);
    if (row.severity == Severity::warning)
      explanation += " To disable it, write `# tilelab: allow(" + name +
                     ")` on its line, or `T.allow(\"" + name + "\")` in the kernel.";
    for_each_finding([&](sim::FindingKind kind) {  // names shared by both: the message of a run
      if (sim::finding_name(kind) == name)
        explanation +=
            std::string(" The simulator reports it at run time: ") + sim::finding_meaning(kind);
    });
    return message_page({name, std::string(severity_name(row.severity)), readable(row.message),
                         explanation, std::string(help_of(static_cast<Diag>(i))),
                         std::string(example_of(name))});
  }
  std::optional<Shown> found;
  for_each_finding([&](sim::FindingKind kind) {
    if (sim::finding_name(kind) == name)
      found = message_page({name, "found by the simulator", "", sim::finding_meaning(kind),
                            std::string(sim::finding_help(kind)), std::string(example_of(name))});
  });
  if (found) return found;
  if (const GlossaryTerm* term = find_term(name)) return term_page(*term);
  std::string near = nearest(name, explained_words());
  if (problem)
    *problem =
        "unknown message or term " + name +
        (near.empty() ? "; press Tab after %explain for a list" : "; did you mean " + near + "?");
  return std::nullopt;
}

std::optional<Shown> explain_kernel(const PipelineResult& result, const Diagnostics& notes,
                                    const std::string& name, int line, std::string* problem) {
  FileId file = source_file(*result.snapshots.front().func);
  ReasonsByLine all = reasons_of(result, notes, file);
  if (line > 0 && !all.count(line)) {
    if (problem) *problem = nothing_at(line, all, name);
    return std::nullopt;
  }
  StyledText out;
  out.add("  " + name + "\n", Style::strong);
  ExplainedKernel explained{name, {}};
  auto write = [&](int number, const std::vector<Reason>& reasons) {
    std::string code = number > 0 ? std::string(strip(source_line(file, uint32_t(number)))) : "";
    if (number > 0)
      write_code_line(number, code, out);
    else
      out.add("  in the whole kernel\n", Style::dim);
    for (const Reason& reason : reasons) write_reason(reason, out);
    explained.lines.push_back({number, code, reasons});
  };
  for (const auto& [number, reasons] : all)
    if (number > 0 && (line == 0 || line == number)) write(number, reasons);
  if (line == 0 && all.count(0)) write(0, all.at(0));
  return Shown{out.plain(), out.ansi(), html_pre(out.html()), json_of(explained)};
}

}  // namespace tilelab
