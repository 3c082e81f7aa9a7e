// SPDX-License-Identifier: Apache-2.0
#include "core/diagnostics/allow.h"

#include <cstdlib>
#include <mutex>
#include <set>

#include "core/diagnostics/usage.h"
#include "core/support/fork_safe.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

constexpr std::string_view kComment = "# tilelab: allow(";

std::vector<std::string> names_of(std::string_view list) {
  std::vector<std::string> out;
  for (const std::string& piece : split(list, ','))
    if (!strip(piece).empty()) out.emplace_back(strip(piece));
  return out;
}

bool has(std::string_view list, std::string_view name) {
  for (const std::string& each : names_of(list))
    if (current_name(each) == name) return true;
  return false;
}

/// The names in parentheses in a line's comment; "" if there are none.
std::string_view commented(std::string_view line) {
  size_t at = line.find(kComment);
  if (at == std::string_view::npos) return "";
  line.remove_prefix(at + kComment.size());
  return line.substr(0, line.find(')'));
}

struct Everywhere {
  ForkSafe<std::mutex> mutex;
  std::set<std::string, std::less<>> names;

  Everywhere() {
    if (const char* given = std::getenv("TILELAB_ALLOW"))
      for (const std::string& name : names_of(given)) names.emplace(current_name(name));
  }
};

Everywhere& everywhere() {
  static Everywhere all;
  return all;
}

}  // namespace

bool is_allowed(std::string_view name, const Span& span, std::string_view in_kernel) {
  if (has(in_kernel, name)) return true;
  if (span.known()) {
    if (has(commented(source_line(span.file, span.line)), name)) return true;
    const std::string above = span.line > 1 ? source_line(span.file, span.line - 1) : "";
    if (strip(above).starts_with(kComment) && has(commented(above), name)) return true;
  }
  Everywhere& all = everywhere();
  std::lock_guard lock(all.mutex);
  return all.names.count(name) != 0;
}

Diagnostics without_allowed(const Diagnostics& messages, std::string_view in_kernel) {
  Diagnostics out;
  for (const Diagnostic& d : messages.all())
    if (d.severity != Severity::warning || !is_allowed(info(d.id).name, d.span, in_kernel))
      out.add(d);
  return out;
}

std::string with_allowed(std::string_view names, std::string_view name) {
  return names.empty() ? std::string(name) : std::string(names) + ", " + std::string(name);
}

std::vector<std::string> allowed_everywhere() {
  Everywhere& all = everywhere();
  std::lock_guard lock(all.mutex);
  return {all.names.begin(), all.names.end()};
}

void allow_everywhere(std::string_view name, bool allowed) {
  Everywhere& all = everywhere();
  std::lock_guard lock(all.mutex);
  if (allowed)
    all.names.emplace(current_name(name));
  else
    all.names.erase(std::string(current_name(name)));
}

std::string unknown_warning(std::string_view given) {
  const std::string_view name = current_name(given);
  std::vector<std::string> warnings;
  for (int i = 0; i < diagnostics_count; ++i) {
    const DiagInfo& row = info(static_cast<Diag>(i));
    if (row.severity == Severity::warning) warnings.emplace_back(row.name);
    if (row.name != name) continue;
    return row.severity == Severity::warning ? "" : "only warnings can be disabled";
  }
  const std::string near = nearest(name, warnings);
  return near.empty() ? "a warning shows its name in brackets, `warning[unread-elements]`"
                      : "did you mean `" + near + "`?";
}

std::vector<std::pair<Span, std::string>> names_in_comments(const Span& function) {
  std::vector<std::pair<Span, std::string>> out;
  for (uint32_t at = function.line; function.known() && at <= function.end_line; ++at) {
    const std::string line = source_line(function.file, at);
    for (const std::string& name : names_of(commented(line))) {
      const auto col = static_cast<uint32_t>(line.find(name, line.find(kComment)) + 1);
      const auto end = static_cast<uint32_t>(col + name.size());
      out.push_back({{function.file, at, col, at, end}, name});
    }
  }
  return out;
}

}  // namespace tilelab
