// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_header.h"

#include <dirent.h>

#include <cstdio>

#include "codegen/musa/check/check.h"

namespace tilelab::runtime {

std::string read_text(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return "";
  std::string text;
  char part[4096];
  while (const size_t n = std::fread(part, 1, sizeof part, file)) text.append(part, n);
  std::fclose(file);
  return text;
}

const std::map<std::string, std::string>& device_header() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> out;
    const std::string directory = musa::device_directory();
    if (DIR* listed = opendir(directory.c_str())) {
      while (const dirent* entry = readdir(listed))
        if (const std::string name = entry->d_name; name.ends_with(".h"))
          out[name] = read_text(directory + "/" + name);
      closedir(listed);
    }
    return out;
  }();
  return all;
}

}  // namespace tilelab::runtime
