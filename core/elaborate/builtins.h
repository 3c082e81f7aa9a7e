// SPDX-License-Identifier: Apache-2.0
// The language's functions, from one table (builtins.def): what the elaborator does for each, its
// signature, and the text of docs/language.md.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/elaborate/value.h"

namespace tilelab::elaborate {

class Elaborator;
class Arguments;

/// works: as documented. planned: not yet. refused: never on tilelab's targets, with a reason.
enum class Status : uint8_t { works, planned, refused };

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
  std::string data;  // for handlers that serve several names: the intrinsic, the operation
  Status status;
  std::string doc;
  std::string section;  // heading in docs/language.md
  std::vector<Parameter> parameters;
};

/// All rows, in the order of the table.
const std::vector<Builtin>& builtins();
const Builtin* find_builtin(std::string_view name);
/// The text of docs/language.md.
std::string language_reference();

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

  const Argument& operator[](std::string_view name) const;
  bool has(std::string_view name) const;  // given, and not None
};

}  // namespace tilelab::elaborate
