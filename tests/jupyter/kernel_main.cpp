// SPDX-License-Identifier: Apache-2.0
// A program that is a kernel and nothing else: around the fake session, and around the real one
// where the command line is not built.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

#include "jupyter/install.h"
#include "jupyter/kernel.h"

/// This program, and the logos of its build folder.
static tilelab::KernelProgram own_program() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  std::filesystem::path up = program.parent_path();
  while (up.has_relative_path() && !exists(up / "lib/tilelab/logos")) up = up.parent_path();
  return {{program}, up / "lib/tilelab/logos"};
}

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "install-kernel") == 0)
    return tilelab::install_kernel({argv + 2, argv + argc}, own_program(), [] {
      return tilelab::KernelPython{"no Python", ""};
    });
  if (argc != 4 || std::strcmp(argv[1], "kernel") != 0 || std::strcmp(argv[2], "-f") != 0) return 2;
  try {
    int status = tilelab::run_kernel(argv[3]);
    if (const char* file = std::getenv("TILELAB_TEST_END_FILE"))
      if (FILE* end = std::fopen(file, "w")) std::fclose(end);  // run_kernel returned
    return status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kernel: %s\n", e.what());
    return 2;
  }
}
