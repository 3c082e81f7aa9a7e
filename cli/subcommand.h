// SPDX-License-Identifier: Apache-2.0
// `tilelab NAME ...`. To add one: a row in subcommands.def and its function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

/// Takes the arguments after the name; returns the exit status.
using SubcommandHandler = int (*)(const std::vector<std::string>& arguments);

struct Subcommand {
  const char* name;
  const char* usage;
  const char* doc;
  SubcommandHandler handler;  // null: not in this build
  const char* missing;        // why, for a null handler
};

const std::vector<Subcommand>& subcommands();
const Subcommand* find_subcommand(std::string_view name);
/// Writes "tilelab" and the text to stderr, escaped: it may contain names and arguments.
void complain(const std::string& text);

int compile(const std::vector<std::string>& arguments);
int check(const std::vector<std::string>& arguments);
int explain(const std::vector<std::string>& arguments);
int completions(const std::vector<std::string>& arguments);
int puzzle(const std::vector<std::string>& arguments);
int manual(const std::vector<std::string>& arguments);
int doctor(const std::vector<std::string>& arguments);

}  // namespace tilelab
