// SPDX-License-Identifier: Apache-2.0
// The command line of a build without the notebook kernel.
#include "cli/notebook.h"

namespace tilelab {

const SubcommandHandler serve_kernel = nullptr, place_kernel = nullptr;
std::vector<InstalledKernel> registered_kernels() { return {}; }

}  // namespace tilelab
