// SPDX-License-Identifier: Apache-2.0
// mu_check [--types] [--arch 220|310]... FILE...: L1 and, without --types, the compile half of L2
// for files of MUSA C; L0 for files NAME.tile of flat IR. Exit status: 0 all good, 1 a file is not,
// 2 usage.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/ir_text/ir_text.h"
#include "tests/emulation/check.h"
#include "tests/emulation/lint.h"

using namespace tilelab;

static bool read_file(const char* path, std::string& text) {
  std::FILE* file = std::fopen(path, "r");
  if (!file) return false;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  std::fclose(file);
  return true;
}

/// L0. How many functions of the text break a rule; a text that can't be read is one.
static int lint_text(const char* path, const std::string& text) {
  Diagnostics sink;
  const auto functions = read_ir_file(path, text, sink);
  std::string wrong;
  for (const Diagnostic& said : sink.all()) wrong += said.message + "\n";
  for (const FuncRef& func : functions)
    for (const std::string& said : codegen::lint(*func, *find_target(func->target)))
      wrong += said + "\n";
  const bool good = wrong.empty() && !functions.empty();
  std::printf("%s: lint %s\n%s", path, good ? "good" : "BAD", wrong.c_str());
  return good ? 0 : 1;
}

int main(int argc, char** argv) {
  std::vector<int> archs;
  std::vector<const char*> files;
  bool types_only = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--arch") && i + 1 < argc)
      archs.push_back(std::atoi(argv[++i]));
    else if (!std::strcmp(argv[i], "--types"))
      types_only = true;
    else
      files.push_back(argv[i]);
  }
  if (files.empty()) {
    std::fprintf(stderr, "usage: mu_check [--types] [--arch 220|310]... FILE...\n");
    return 2;
  }
  if (archs.empty()) archs = {220, 310};
  int bad = 0;
  for (const char* path : files) {
    std::string text;
    if (!read_file(path, text)) {
      std::fprintf(stderr, "%s: cannot be read\n", path);
      return 2;
    }
    if (std::string(path).ends_with(".tile")) {
      bad += lint_text(path, text);
      continue;
    }
    for (int arch : archs) {
      const musa::CheckResult types = musa::type_check(text, arch);
      std::string log;
      const bool runs = types_only || musa::EmulatedModule::compile(text, arch, &log) != nullptr;
      std::printf("%s mp_%d: types %s, emulation %s, kernels:", path, arch / 10,
                  types.ok ? "good" : "BAD",
                  types_only ? "not asked"
                  : runs     ? "good"
                             : "BAD");
      for (const std::string& name : musa::kernel_names(text)) std::printf(" %s", name.c_str());
      std::printf("\n%s%s", types.ok ? "" : types.log.c_str(), runs ? "" : log.c_str());
      bad += !types.ok || !runs;
    }
  }
  return bad ? 1 : 0;
}
