// SPDX-License-Identifier: Apache-2.0
// Checks of MUSA C without Moore Threads hardware: L1 types (clang and a stub of mcc's builtins),
// L2 execution on the CPU (g++ and the emulation). L0, on the IR, is tests/emulation/lint.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/emulation/emulator.h"

namespace tilelab::musa {

struct CheckResult {
  bool ok = false;
  std::string log;  // the compiler's messages, or why it could not be run
};

/// L1: type-checks `text` for architecture `arch` (220 or 310). Uses clang++ (TILELAB_CLANG).
CheckResult type_check(const std::string& text, int arch);

/// The names of the kernels that `text` defines, in order.
std::vector<std::string> kernel_names(const std::string& text);

/// L2: a file of kernels, compiled for the emulation and loaded into this process.
class EmulatedModule {
 public:
  /// Compiles with g++ (TILELAB_GXX) at -O0 and with contraction off. `log` receives the messages;
  /// null if it does not compile.
  static std::unique_ptr<EmulatedModule> compile(const std::string& text, int arch,
                                                 std::string* log);
  ~EmulatedModule();
  emu::LaunchReport launch(const std::string& kernel, tl_emu_dim grid, tl_emu_dim block,
                           const std::vector<void*>& args, const emu::LaunchOptions& options);
  int warp_size() const { return info_->warp_size; }
  /// A function or object that the text defines as extern "C", or null.
  void* symbol(const char* name) const;

 private:
  void* library_ = nullptr;
  const tl_emu_module* info_ = nullptr;
};

}  // namespace tilelab::musa
