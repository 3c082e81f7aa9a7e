// SPDX-License-Identifier: Apache-2.0
// mcc, the compiler of Moore Threads' SDK, as a process.
#pragma once

#include <string>
#include <vector>

#include "core/targets/target.h"

namespace tilelab::runtime {

/// TILELAB_MCC, otherwise mcc on PATH, in MUSA_HOME/bin, MUSA_PATH/bin or /usr/local/musa/bin; ""
/// with the searched places.
std::string find_mcc(std::string* problem);
/// Its version text.
std::string mcc_version(const std::string& mcc);
/// Options that compile device code for a target, without files and header directory.
std::vector<std::string> mcc_options(const Target& target);
/// Compiles a text to device code; "" with the compiler's errors.
std::string compile_with_mcc(const std::string& mcc, const std::string& text, const Target& target,
                             std::string* log);

}  // namespace tilelab::runtime
