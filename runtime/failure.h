// SPDX-License-Identifier: Apache-2.0
// The reason why a device operation fails: a row of the message table without the source location,
// which the caller knows. Thrown within this floor; its interface returns it as a value.
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

/// `compiler` rejected a kernel's C, with the first error of its log.
Failure rejected_code(const std::string& kernel, const std::string& compiler,
                      const std::string& log);

}  // namespace tilelab::runtime
