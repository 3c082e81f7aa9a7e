// SPDX-License-Identifier: Apache-2.0
// The notebook kernel's part of the command line. Implemented by notebook.cpp; a build without
// xeus, or without the kernel, uses no_notebook.cpp instead (cli/CMakeLists.txt). No other file
// differs between the two builds.
#pragma once

#include <vector>

#include "cli/subcommand.h"
#include "jupyter/install.h"

namespace tilelab {

/// `tilelab kernel` and `tilelab install-kernel`; null in a build without the kernel.
extern const SubcommandHandler serve_kernel, place_kernel;

/// The installed kernels of this program, for `tilelab doctor`; none in a build without the kernel.
std::vector<InstalledKernel> registered_kernels();

}  // namespace tilelab
