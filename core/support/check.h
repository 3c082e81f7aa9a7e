// SPDX-License-Identifier: Apache-2.0
// Internal errors of tilelab. User errors are diagnostics (core/diagnostics) instead.
#pragma once

#include <stdexcept>
#include <string>

namespace tilelab {

/// Thrown if an invariant of tilelab is violated; caught at the four boundaries (CLI, shell,
/// kernel, Python), so that a session survives it.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void internal_error(const char* file, int line, const std::string& what);
[[noreturn]] void internal_error(const char* file, int line, const char* what);

}  // namespace tilelab

/// CHECK(condition) or CHECK(condition, "observed state"): an invariant of tilelab.
#define CHECK(condition, ...)                                           \
  do {                                                                  \
    if (!(condition)) [[unlikely]]                                      \
      ::tilelab::internal_error(__FILE__, __LINE__,                     \
                                __VA_OPT__(std::string)(#condition)     \
                                    __VA_OPT__(+": " + (__VA_ARGS__))); \
  } while (0)
#define UNREACHABLE(what) ::tilelab::internal_error(__FILE__, __LINE__, what)
