// SPDX-License-Identifier: Apache-2.0
// The language's functions, from one table (builtins.def): their handlers in the elaborator, their
// signatures and summaries; docs/language has a section for each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/value.h"

namespace tilelab::elaborate {

class Elaborator;
class Arguments;

/// works: as documented. accepted: ignored, and reported as such. planned: not yet supported.
/// refused: unsupported on all of tilelab's targets, with a reason.
enum class Status : uint8_t { works, accepted, planned, refused };
std::string_view status_name(Status status);

struct Parameter {
  enum class Form : uint8_t { positional, keyword, rest, keywords };
  std::string name;
  Form form = Form::positional;
  std::optional<Value> fallback;
};

struct Builtin {
  std::string name;       // "copy"; functions of Python itself are "builtins.range"
  std::string signature;  // "src, dst, *, coalesced_width=None"
  Value (Elaborator::*handler)(Arguments&);
  std::string data;  // for shared handlers: the intrinsic or the operation
  Status status;
  std::string doc;
  std::string section;  // title of the chapter of docs/language
  std::vector<Parameter> parameters;
  bool has_parameter(std::string_view parameter) const {
    for (const Parameter& each : parameters)
      if (each.name == parameter) return true;
    return false;
  }
  bool of_python() const { return name.starts_with("builtins."); }
  /// "T.copy", or "sum" of Python.
  std::string shown() const { return of_python() ? name.substr(9) : "T." + name; }
};

/// An option that is accepted without effect (options.def); `plain`: unless the kernel's
/// configuration enables native hardware units.
struct Option {
  enum class Kind : uint8_t { hint, demand, plain };
  std::string_view builtin, option;
  Kind kind;
  std::string_view why;
  /// The text of the report.
  std::string note() const;
};
std::span<const Option> options();
const Option* find_option(std::string_view builtin, std::string_view option);
/// The messages without those of options that have an effect with hardware units.
Diagnostics reported_with_units(const Diagnostics& reported);

/// All rows, in the order of the table.
const std::vector<Builtin>& builtins();
const Builtin* find_builtin(std::string_view name);

struct Argument {
  Value value;
  Span span;
  bool given = false;
};
using KeywordArguments = std::vector<std::pair<Symbol, Argument>>;  // in the order of the call

/// Arguments of one call, bound to the row's parameters.
class Arguments {
 public:
  const Builtin* row = nullptr;
  Span span;                    // of the whole call
  std::vector<Argument> bound;  // one for each parameter
  std::vector<Argument> rest;   // of *name
  KeywordArguments keywords;    // of **name

  /// Marks the parameter as read: arguments that are never read are reported.
  const Argument& operator[](std::string_view name) const { return at(index(name)); }
  const Argument& at(size_t i) const;
  bool was_read(size_t i) const { return i < read_.size() && read_[i]; }
  bool has(std::string_view name) const;  // given, and not None; does not count as a read
  size_t index(std::string_view name) const;

 private:
  mutable std::vector<bool> read_;
};

}  // namespace tilelab::elaborate
