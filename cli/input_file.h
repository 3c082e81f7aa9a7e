// SPDX-License-Identifier: Apache-2.0
// The input file of `tilelab compile` and `tilelab check`: IR text, or Python with kernels.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

struct InputRequest {
  std::string file, kernel;            // FILE[:KERNEL]
  std::string target;                  // "" = that of the file, or of %target
  std::vector<std::string> constants;  // "N=1024"
  std::vector<std::string> shapes;     // "M=64 N=64": compiles the kernels once for each

  /// Splits FILE:KERNEL; an existing file whose name has a colon is not split.
  void take_file(const std::string& word);
};

struct Input {
  std::vector<FuncRef> functions;
  std::vector<std::string> kernels;  // of a Python file: the name of each without its shape
  std::string problem;               // one line; compiler messages have been printed
  int status = 0;                    // for `problem`
};

Input read_input(const InputRequest& request);
/// Whether the file's text is IR; false also if it cannot be read.
bool is_ir_file(const std::string& path);
/// The stream for results: the original standard output. Output of a Python file goes to standard
/// error, so that the result is separate.
std::FILE* result_stream();
/// Prints the error of a subcommand to stderr. Returns `status`.
int fail(const char* subcommand, const std::string& problem, int status);
/// All messages for stderr, without warnings that `func` disables, with colors on a terminal; ends
/// with a newline if there are any.
std::string show_messages(const Diagnostics& sink, const Func* func = nullptr);

}  // namespace tilelab
