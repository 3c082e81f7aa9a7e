// SPDX-License-Identifier: Apache-2.0
// File tests: a text, a command on it, and what comes out, all in one file.
//
//   # test: print after=canonicalize       the command and its arguments
//   ir(1, level="tile", ...)               the text
//   ...
//   #> ir(1, level="tile", ...)            the expected output, at the end
//
// A file whose name starts with `fail_` must fail; any other must succeed. A room adds commands in
// a separate file: `static AddCommand add("run", &run_command);`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab::filetest {

struct Test {
  std::string path;  // from the source root
  std::string text;  // everything but the expectation; line numbers are those of the file
  std::string command;
  std::map<std::string, std::string> arguments;

  /// The argument, or `otherwise`.
  std::string get(const std::string& name, const std::string& otherwise = "") const {
    auto it = arguments.find(name);
    return it == arguments.end() ? otherwise : it->second;
  }
  /// The name under which the text is registered as a source, the same on every machine.
  std::string source() const { return path.substr(path.rfind('/') + 1); }
};

struct Outcome {
  bool ok = true;
  std::string output;
};

using Command = Outcome (*)(const Test&);

struct AddCommand {
  /// `in_place`: the output is compared with the text itself (without its leading comment lines),
  /// and --bless rewrites the text.
  AddCommand(const char* name, Command run, bool in_place = false);
};

/// The diagnostics as an Outcome: ok if there is no error.
Outcome outcome_of(const Diagnostics& sink, const std::string& output = "");

/// The function of the file: IR text is read, TileLang's syntax elaborated with the arguments in
/// capitals as values of names (N=1024) or run-time extents (N=dynamic). Null after an error.
FuncRef function_of(const Test& test, Diagnostics& sink);

}  // namespace tilelab::filetest
