// SPDX-License-Identifier: Apache-2.0
// mcc, the compiler of Moore Threads' SDK, as a process.
#pragma once

#include <string>
#include <vector>

#include "core/targets/target.h"

namespace tilelab::runtime {

/// TILELAB_MCC, else mcc on PATH, in MUSA_HOME/bin, MUSA_PATH/bin or /usr/local/musa/bin; "" with
/// where it was looked for.
std::string find_mcc(std::string* problem);
/// What it says of itself.
std::string mcc_version(const std::string& mcc);
/// How device code is compiled for a target, without the files and where the header lies.
std::vector<std::string> mcc_options(const Target& target);
/// Device code of a text; "" with what the compiler says.
std::string compile_with_mcc(const std::string& mcc, const std::string& text, const Target& target,
                             std::string* log);

}  // namespace tilelab::runtime
