// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

namespace tilelab {

/// The value of an environment variable; empty if it is unset.
inline std::string environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

/// Whether an environment variable is set, and neither empty nor 0.
inline bool environment_flag(const char* variable) {
  const std::string value = environment(variable);
  return !value.empty() && value != "0";
}

}  // namespace tilelab
