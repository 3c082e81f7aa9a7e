// SPDX-License-Identifier: Apache-2.0
#include "core/support/own_files.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

namespace tilelab {

std::string own_file(const char* variable, const std::string& name, const char* built) {
  const char* given = std::getenv(variable);
  if (given && *given) return given;
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&own_file), &info) || !info.dli_fname) return built;
  const std::string own = info.dli_fname, directory = own.substr(0, own.rfind('/') + 1);
  for (const char* place : {"", "../lib/tilelab/", "../../"})
    if (std::string found = directory + place + name; access(found.c_str(), R_OK) == 0)
      return found;
  return built;
}

}  // namespace tilelab
