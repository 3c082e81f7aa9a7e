// SPDX-License-Identifier: Apache-2.0
#include "runtime/failure.h"

#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/support/text.h"

namespace tilelab::runtime {

Failure rejected_code(const std::string& kernel, const std::string& compiler,
                      const std::string& log) {
  const std::vector<std::string> lines = split(log, '\n');
  const auto first = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("error") != std::string::npos;
  });
  return {usage::device_code,
          {kernel, compiler, first == lines.end() ? lines.front() : *first},
          {},
          {"check the code with %source: a T.call_extern or T.import_source must use names that "
           "the device header or the source defines; otherwise please report it"}};
}

}  // namespace tilelab::runtime
