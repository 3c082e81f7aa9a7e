// SPDX-License-Identifier: Apache-2.0
#include "views/pipeline_view.h"

#include <cstdio>

#include "core/ir/text/print.h"
#include "core/ir/traverse.h"
#include "core/support/escape.h"
#include "core/support/text.h"
#include "views/diff.h"
#include "views/highlight.h"
#include "views/json.h"

namespace tilelab {
namespace {

std::string pass_name(const Snapshot& snapshot) {
  return snapshot.pass ? snapshot.pass->name : "elaborate";
}

/// The text after the header, whose `after=` differs after each pass.
std::string without_header(const Func& func) {
  std::string text = print(func);
  return text.substr(text.find("\ndef ") + 1);
}

std::string milliseconds_text(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, ms < 100 ? "%.1f ms" : "%.0f ms", ms);
  return text;
}

std::string kernel_threads(const Kernel& kernel) {
  std::vector<std::string> roles;
  for_each(kernel, [&](const Role& role) {
    roles.push_back(std::to_string(role.hi - role.lo) + " " + role.name.str() + "s");
  });
  std::string text = plural(kernel.block, "thread");
  return roles.empty() ? text : text + ": " + join(roles, ", ");
}

}  // namespace

std::string threads_text(const Func& func) {
  std::vector<std::string> kernels;
  for_each_of_host(func, [&](const Kernel& k) { kernels.push_back(kernel_threads(k)); });
  return join(kernels, "; ");
}

PipelineRun pipeline_run(const PipelineResult& result, const std::string& name) {
  PipelineRun run{name, threads_text(*result.func()), result.ok, {}};
  std::string before = without_header(*result.snapshots.front().func);
  for (const Snapshot& snapshot : result.snapshots) {
    if (!snapshot.pass) continue;
    std::string after = without_header(*snapshot.func);
    const LineDiff diff = diff_lines(before, after);
    run.passes.push_back({snapshot.pass->name, std::string(tilelab::name(snapshot.pass->gives)),
                          snapshot.milliseconds, diff.added, diff.removed, snapshot.decided});
    before = std::move(after);
  }
  return run;
}

Shown show_passes(const PipelineResult& result, const std::string& name) {
  ViewTable table{{">#", "pass", ">time", ">lines", "decided"}, {}};
  PipelineRun run = pipeline_run(result, name);
  double total = 0;
  for (const PassRun& pass : run.passes) {
    LineDiff changed;
    changed.added = int(pass.added), changed.removed = int(pass.removed);
    table.rows.push_back({std::to_string(table.rows.size() + 1), pass.pass,
                          milliseconds_text(pass.milliseconds), changed.count(), pass.decided});
    total += pass.milliseconds;
  }
  std::string foot = "  " + plural(int64_t(run.passes.size()), "pass") + " in " +
                     milliseconds_text(total) +
                     (result.ok            ? ""
                      : result.interrupted ? ", interrupted"
                                           : ", stopped by an error");
  StyledText head;
  head.add("  " + name, Style::strong).add("   " + run.threads + "\n", Style::dim);
  std::string rows = table.text();
  return {head.plain() + rows + foot + "\n", head.ansi() + rows + foot + "\n",
          "<div><b>" + html_text(name) + "</b> " + html_text(run.threads) + table.html() + "<div>" +
              html_text(strip(foot)) + "</div></div>",
          json_of(run)};
}

Shown show_pass_list() {
  ViewTable table{{">#", "pass", "level", "does"}, {}};
  int number = 0;
  for (const PassInfo& pass : all_passes()) {
    std::string takes(tilelab::name(pass.takes)), gives(tilelab::name(pass.gives));
    table.rows.push_back({std::to_string(++number), pass.name,
                          takes == gives ? takes : takes + " -> " + gives, pass.doc});
  }
  return {table.text(), table.text(), table.html(), json_of(table)};
}

KernelIr kernel_ir(const Func& func, const std::string& name, bool spans) {
  return {name, func.after, std::string(tilelab::name(func.level)), print(func, {spans})};
}

Shown show_ir(const Func& func, const std::string& name, bool spans) {
  std::string exact = print(func, {spans});
  StyledText title, code = highlight(wrap_code(exact, Language::python), Language::python);
  std::string where = (func.after.empty() ? "as elaborated" : "after " + func.after) + ", " +
                      std::string(tilelab::name(func.level)) + " level";
  title.add(wrap_code("# " + name + ", " + where, Language::python), Style::dim);
  title.append(code);
  return {title.plain(), title.ansi(), html_pre(title.html()),
          json_of(kernel_ir(func, name, spans))};
}

std::optional<Shown> show_pass_diff(const PipelineResult& result, const std::string& name,
                                    const std::string& from, const std::string& to,
                                    std::string* problem) {
  const Snapshot* first = result.after(from);
  const Snapshot* last = to.empty() ? &result.snapshots.back() : result.after(to);
  for (auto [snapshot, pass] : {std::pair{first, from}, std::pair{last, to}})
    if (!snapshot) {
      choose_snapshot(result, pass, "", problem);
      return std::nullopt;
    }
  if (last < first) {
    if (problem) *problem = to + " runs before " + from;
    return std::nullopt;
  }
  std::vector<DiffPart> parts;
  for (const Snapshot* at = first + 1; at <= last; ++at)
    parts.push_back(
        {pass_name(*at), diff_lines(without_header(*at[-1].func), without_header(*at->func))});
  return show_diff(name + ": " + pass_name(*first) + " -> " + pass_name(*last), parts);
}

const Snapshot* choose_snapshot(const PipelineResult& result, const std::string& after,
                                const std::string& level, std::string* problem) {
  auto failed = [&](std::string why) -> const Snapshot* {
    if (problem) *problem = std::move(why);
    return nullptr;
  };
  if (!after.empty()) {
    if (const Snapshot* found = result.after(after)) return found;
    if (find_pass(after))
      return failed(after + " did not run: the pipeline ended after " +
                    pass_name(result.snapshots.back()));
    std::string near = nearest(after, names_of(all_passes()));
    return failed("unknown pass " + after +
                  (near.empty() ? "; %passes lists them" : "; did you mean " + near + "?"));
  }
  if (!level.empty() && level != "tile" && level != "thread" && level != "flat")
    return failed("unknown level: use tile, thread or flat, not " + level);
  const Snapshot* last = nullptr;
  for (const Snapshot& snapshot : result.snapshots)
    if (level.empty() ? snapshot.func->level == result.snapshots.front().func->level
                      : tilelab::name(snapshot.func->level) == level)
      last = &snapshot;
  return last ? last
              : failed("nothing at " + level + " level: the pipeline ended after " +
                       pass_name(result.snapshots.back()));
}

}  // namespace tilelab
