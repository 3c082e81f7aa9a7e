// SPDX-License-Identifier: Apache-2.0
// Checks of MUSA C without Moore Threads hardware: L1 types (clang and a stub of mcc's builtins),
// L2 execution on the CPU (g++ and the emulation). L0, on the IR, is codegen/c_family/lint.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/musa/emu/emulator.h"

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

/// Memory for a kernel's tensor: unmapped pages on both sides, the end as close to the second as
/// `align` allows, so that an overrun faults. Filled with `poison`. A `shared` buffer receives
/// writes of child processes.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t bytes, size_t align = 16, unsigned char poison = 0xff,
                         bool shared = false);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;
  template <class T> T* as() const { return static_cast<T*>(data_); }
  void* data() const { return data_; }
  size_t size() const { return bytes_; }

 private:
  char* pages_ = nullptr;
  size_t mapped_ = 0, bytes_ = 0;
  void* data_ = nullptr;
};

/// Runs a program (found on PATH) with arguments; its output and errors go to `log`. Returns its
/// exit status, -1 if it could not be started or was killed. An interrupt of this thread
/// (InterruptScope) ends it with its children and throws Cancelled.
int run_program(const std::vector<std::string>& command, std::string* log);

/// A directory that its destructor removes with its contents. Those of processes that were killed
/// are removed by the first one of another process.
class ScratchDirectory {
 public:
  /// Throws std::runtime_error, with a message for the user, if TMPDIR has no place for it.
  ScratchDirectory();
  ~ScratchDirectory();
  const std::string& path() const { return path_; }
  /// Writes a file in it and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
  int lock_ = -1;  // held by the process that uses the directory
};

/// The directory of the device header: TILELAB_DEVICE_DIR, or that of the source tree.
std::string device_directory();

}  // namespace tilelab::musa
