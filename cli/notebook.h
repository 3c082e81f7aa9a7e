// SPDX-License-Identifier: Apache-2.0
// The notebook kernel's part of the command line. notebook.cpp has it; a build without xeus, or one
// that leaves the kernel out, takes no_notebook.cpp instead (cli/CMakeLists.txt). No other file
// differs between the two builds.
#pragma once

#include <vector>

#include "cli/subcommand.h"
#include "jupyter/install.h"

namespace tilelab {

/// `tilelab kernel` and `tilelab install-kernel`; null in a build without the kernel.
extern const SubcommandHandler serve_kernel, place_kernel;

/// The kernels of this program that Jupyter finds, for `tilelab doctor`; none in a build without.
std::vector<InstalledKernel> registered_kernels();

}  // namespace tilelab
