// SPDX-License-Identifier: Apache-2.0
// The two forms of the front ends. The program tilelab embeds Python (embedded.cpp). In a wheel the
// module tilelab._frontend has the same front ends, which run inside the environment's own Python
// (attached.cpp). A program links one of the two files.
#pragma once

#include <string>
#include <vector>

#include "python/interpreter.h"

namespace tilelab::python::form {

/// Afterwards Python runs and the calling thread, its main thread, holds the GIL. Returns "" or why
/// it could not start. `note`: see start_note().
std::string enter(const StartOptions& options, std::string& note);

/// The words that run tilelab again, before its arguments.
std::vector<std::string> command();

/// The directory of tilelab's data files, such as `logos`; "" if there is none.
std::string data_directory();

}  // namespace tilelab::python::form

namespace tilelab {

/// The command line, without the program's name: returns the exit status. Defined in cli/, for the
/// program's main() and for _frontend.main().
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace tilelab
