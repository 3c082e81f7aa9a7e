// SPDX-License-Identifier: Apache-2.0
// Messages to the user: the violated rule, the offending code, the remedy, and the location.
//
//   sink.report(Diag::copy_shape, call.span, "128x32", "64x32")
//       .mark("128x32, because BM = 128")            // text at the primary span
//       .label(buffer_span, "64x32, allocated in line 8")
//       .help("allocate A_shared as (BM, 32), or copy 64 rows");
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/span.h"
#include "core/support/symbol.h"

namespace tilelab {

enum class Diag : uint16_t {
#define DIAGNOSTIC(name, severity, message, explanation) name,
#include "core/diagnostics/diagnostics.def"
#undef DIAGNOSTIC
  count_
};

/// `finding`: an error that the simulator observed at run time (a race, an out-of-bounds access).
/// It counts as an error but is shown as a list of locations instead of source with carets.
enum class Severity : uint8_t { error, warning, note, finding };

/// One row of the table.
struct DiagInfo {
  std::string_view name;  // "copy-shape"
  Severity severity;
  std::string_view message, explanation;
};
const DiagInfo& info(Diag id);

struct Label {
  Span span;
  std::string text;
  bool operator==(const Label&) const = default;
};

struct Diagnostic {
  Diag id{};
  Severity severity = Severity::error;
  std::string message;
  Span span;                  // primary; unknown for messages without a location
  std::string span_text;      // at the primary span; may be empty
  std::vector<Label> labels;  // other locations, in any order and any file
  std::vector<std::string> notes;
  std::vector<std::string> helps;

  Diagnostic& mark(std::string text) { return span_text = std::move(text), *this; }
  Diagnostic& label(Span at, std::string text);
  Diagnostic& note(std::string text) { return notes.push_back(std::move(text)), *this; }
  Diagnostic& help(std::string text) { return helps.push_back(std::move(text)), *this; }
  /// For a warning that is an error if it is certain.
  Diagnostic& as_error(bool certain = true) {
    if (certain) severity = Severity::error;
    return *this;
  }
  bool is_error() const { return severity == Severity::error || severity == Severity::finding; }
  bool operator==(const Diagnostic&) const = default;
};

/// The row's message with `{}` replaced in order. CHECKs that the counts match.
Diagnostic make_diagnostic(Diag id, Span span, const std::vector<std::string>& arguments);

/// The help lines: those of the reporting code, otherwise that of the table (helps.def).
std::vector<std::string> helps_of(const Diagnostic& diagnostic);
/// The help of the table; "" if each report has its own, or none is needed.
std::string_view help_of(Diag id);

/// Collects the messages of one task. Not thread-safe: use one sink per task.
class Diagnostics {
 public:
  /// Adds a message and returns it, to attach labels; the reference is valid until the next sort().
  template <class... Args> Diagnostic& report(Diag id, Span span, const Args&... arguments) {
    return add(make_diagnostic(id, span, {text_of(arguments)...}));
  }
  Diagnostic& add(Diagnostic diagnostic);
  /// Retracts the last such message, because a later one is more specific.
  std::optional<Diagnostic> take(Diag id, const Span& span);

  const std::deque<Diagnostic>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  int errors() const;
  int warnings() const;
  bool ok() const { return errors() == 0; }
  /// Sorts by file and position, messages without a location first; removes duplicates.
  void sort();
  void append(const Diagnostics& other);
  void clear() { all_.clear(); }

 private:
  static std::string text_of(const char* text) { return text; }
  static std::string text_of(std::string_view text) { return std::string(text); }
  static std::string text_of(const std::string& text) { return text; }
  static std::string text_of(Symbol name) { return name.str(); }
  template <std::integral T> static std::string text_of(T value) { return std::to_string(value); }

  std::deque<Diagnostic> all_;  // a deque: references returned by report() remain valid
};

std::string_view severity_name(Severity severity);
/// "3 errors, 1 warning"; empty if there are no messages.
std::string summary(const Diagnostics& diagnostics);

}  // namespace tilelab
