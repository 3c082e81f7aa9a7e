// SPDX-License-Identifier: Apache-2.0
#include "core/support/check.h"

namespace tilelab {

void internal_error(const char* file, int line, const std::string& what) {
  throw InternalError("internal error at " + std::string(file) + ":" + std::to_string(line) + ": " +
                      what);
}

void internal_error(const char* file, int line, const char* what) {
  internal_error(file, line, std::string(what));
}

}  // namespace tilelab
