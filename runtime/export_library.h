// SPDX-License-Identifier: Apache-2.0
// A kernel as a shared object with a C header, for programs without Python, compiler and tilelab.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab::runtime {

/// Writes the shared object `path` and the header beside it (NAME.h for NAME.so) for a function at
/// flat level and a target of a GPU or of the CPU. The object exports NAME_host, which checks its
/// arguments and launches; for a GPU it contains the machine code, which is compiled here, and
/// finds the driver at run time. `arch`: -march of the C++ compiler, "" for its default. Returns ""
/// or the error; errors of the renderer go to `sink`. Throws Failure if the GPU code cannot be
/// compiled.
std::string export_library(const Func& flat, const std::string& path, const std::string& arch,
                           Diagnostics& sink);

/// The machine code of the kernels, for a GPU; errors of the renderer go to `sink`. Throws Failure
/// if it cannot be compiled.
std::string machine_code(const Func& flat, Diagnostics& sink);
/// The text of a header that has NAME_host for several exported kernels of one source, which differ
/// in their extents: it calls the first one whose extents the tensors have. `flats` have one list
/// of parameters; if their types differ, returns "".
std::string library_chooser(const std::string& name, const std::vector<FuncRef>& flats);

}  // namespace tilelab::runtime
