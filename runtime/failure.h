// SPDX-License-Identifier: Apache-2.0
// Why a device can't do what it is asked: a row of the table of messages without its place, which
// the caller knows. Thrown inside of this floor; what others call gives it back as a value.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.h"

namespace tilelab::runtime {

struct Failure {
  Diag id{};
  std::vector<std::string> arguments;
  std::vector<std::string> notes, helps;
};

/// That `compiler` does not take a kernel's C, with the first error of its log.
Failure refused_code(const std::string& kernel, const std::string& compiler,
                     const std::string& log);

}  // namespace tilelab::runtime
