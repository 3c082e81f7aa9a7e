// SPDX-License-Identifier: Apache-2.0
#include "core/diagnostics/diagnostics.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/diagnostics/usage.h"
#include "core/support/check.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

constexpr size_t count = diagnostics_count;

struct Table {
  std::array<std::string, count> names;
  std::array<DiagInfo, count> rows;
};

const Table& table() {
  static const Table* const built = [] {
    auto* t = new Table;
    size_t i = 0;
#define DIAGNOSTIC(id, severity_, message_, explanation_)                  \
  t->names[i] = #id;                                                       \
  std::replace(t->names[i].begin(), t->names[i].end(), '_', '-');          \
  t->rows[i] = {t->names[i], Severity::severity_, message_, explanation_}; \
  ++i;
#include "core/diagnostics/diagnostics.def"
#include "core/diagnostics/usage.def"
#undef DIAGNOSTIC
    return t;
  }();
  return *built;
}

/// Order: messages without a location first, then by file and position; stable.
auto place(const Span& span) {
  return std::make_tuple(span.known(), span.file, span.line, span.col);
}

}  // namespace

std::string_view current_name(std::string_view name) {
#define RENAMED(old, now) \
  if (name == (old)) return now;
#include "core/diagnostics/renamed.def"
#undef RENAMED
  return name;
}

std::string_view help_of(Diag id) {
  switch (int(id)) {  // of both tables
#define HELP(name, text) \
  case int(name):        \
    return text;
#define NO_HELP(name, reason)
#include "core/diagnostics/helps.def"
#undef NO_HELP
#undef HELP
    default: return "";
  }
}

std::vector<std::string> helps_of(const Diagnostic& diagnostic) {
  if (!diagnostic.helps.empty()) return diagnostic.helps;
  const std::string_view help = help_of(diagnostic.id);
  return help.empty() ? std::vector<std::string>() : std::vector<std::string>{std::string(help)};
}

const DiagInfo& info(Diag id) { return table().rows.at(static_cast<size_t>(id)); }

Diagnostic& Diagnostic::label(Span at, std::string text) {
  labels.push_back({at, std::move(text)});
  return *this;
}

Diagnostic make_diagnostic(Diag id, Span span, const std::vector<std::string>& arguments) {
  const DiagInfo& row = info(id);
  Diagnostic made;
  made.id = id;
  made.severity = row.severity;
  made.span = span;
  size_t used = 0;
  std::string_view rest = row.message;
  for (size_t at; (at = rest.find("{}")) != std::string_view::npos; rest.remove_prefix(at + 2)) {
    CHECK(used < arguments.size(), std::string(row.name) + " needs more arguments");
    made.message.append(rest.substr(0, at)).append(arguments[used++]);
  }
  CHECK(used == arguments.size(), std::string(row.name) + " got too many arguments");
  made.message.append(rest);
  return made;
}

Diagnostic& Diagnostics::add(Diagnostic diagnostic) {
  all_.push_back(std::move(diagnostic));
  return all_.back();
}

std::optional<Diagnostic> Diagnostics::take(Diag id, const Span& span) {
  auto found = std::find_if(all_.rbegin(), all_.rend(),
                            [&](const Diagnostic& d) { return d.id == id && d.span == span; });
  if (found == all_.rend()) return std::nullopt;
  Diagnostic taken = std::move(*found);
  all_.erase(std::next(found).base());
  return taken;
}

int Diagnostics::errors() const {
  return static_cast<int>(
      std::count_if(all_.begin(), all_.end(), [](const Diagnostic& d) { return d.is_error(); }));
}

int Diagnostics::warnings() const {
  return static_cast<int>(std::count_if(all_.begin(), all_.end(), [](const Diagnostic& d) {
    return d.severity == Severity::warning;
  }));
}

void Diagnostics::sort() {
  std::stable_sort(all_.begin(), all_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return place(a.span) < place(b.span);
  });
  all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
}

void Diagnostics::append(const Diagnostics& other) {
  all_.insert(all_.end(), other.all_.begin(), other.all_.end());
}

std::string_view severity_name(Severity severity) {
  constexpr std::string_view names[] = {"error", "warning", "note", "finding"};
  return names[static_cast<int>(severity)];
}

std::string summary(const Diagnostics& diagnostics) {
  std::vector<std::string> parts;
  if (int n = diagnostics.errors()) parts.push_back(plural(n, "error"));
  if (int n = diagnostics.warnings()) parts.push_back(plural(n, "warning"));
  return join(parts, ", ");
}

}  // namespace tilelab
