// SPDX-License-Identifier: Apache-2.0
// Where tilelab's own files are: in a wheel, in an installation, in a build.
#pragma once

#include <string>

namespace tilelab {

/// The path of a file or folder of tilelab: what the environment variable says, or `name` next to
/// the module that contains this code (a wheel), in ../lib/tilelab of the program or two levels
/// above the module (an installation), or `built`.
std::string own_file(const char* variable, const std::string& name, const char* built);

}  // namespace tilelab
