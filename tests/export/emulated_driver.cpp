// SPDX-License-Identifier: Apache-2.0
// Linked into an exported program in place of Moore Threads' runtime: its launches go to
// the CPU emulation. TILELAB_SEED chooses a schedule of warps and engines.
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "tests/emulation/emulator.h"

namespace {

using tilelab::emu::LaunchOptions;
using tilelab::emu::LaunchReport;
using Hook = const char* (*)(const char*, tl_emu_dim, tl_emu_dim, unsigned, void**);

const char* launch(const char* kernel, tl_emu_dim grid, tl_emu_dim block, unsigned smem,
                   void** arguments) {
  static const auto* module =
      static_cast<const tl_emu_module*>(dlsym(RTLD_DEFAULT, "tl_emu_module_info"));
  static LaunchReport report;
  const char* seed = std::getenv("TILELAB_SEED");
  LaunchOptions options;
  options.seed = seed ? std::strtoull(seed, nullptr, 10) : 0;
  options.smem = smem;
  report = tilelab::emu::launch(*module, kernel, grid, block, arguments, options);
  return report.ok ? nullptr : report.fault.c_str();
}

[[maybe_unused]] const bool installed = [] {
  if (auto* hook = static_cast<Hook*>(dlsym(RTLD_DEFAULT, "tl_emu_launch_hook"))) *hook = launch;
  return true;
}();

}  // namespace
