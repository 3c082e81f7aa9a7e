// SPDX-License-Identifier: Apache-2.0
// The file of `tilelab compile` and `tilelab check`: IR text, or Python with kernels.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

struct InputRequest {
  std::string file, kernel;            // FILE[:KERNEL]
  std::string target;                  // "" = the file's own, or %target's
  std::vector<std::string> constants;  // "N=1024"

  /// Splits FILE:KERNEL; a file whose name has a colon is taken as it is.
  void take_file(const std::string& word);
};

struct Input {
  std::vector<FuncRef> functions;
  std::string problem;  // one line; messages of the compiler have been printed
  int status = 0;       // for `problem`
};

Input read_input(const InputRequest& request);
/// Whether the file's text is IR; false also where it can't be read.
bool is_ir_file(const std::string& path);
/// Where results go: standard output as it was at the start. What a Python file prints while it is
/// read goes to standard error, so that the result is alone.
std::FILE* result_stream();
/// Says on stderr what a subcommand could not do. Gives `status`.
int fail(const char* subcommand, const std::string& problem, int status);
/// All messages for stderr, without warnings that `func` disables, with colours on a terminal; ends
/// in a newline if there are any.
std::string show_messages(const Diagnostics& sink, const Func* func = nullptr);

}  // namespace tilelab
