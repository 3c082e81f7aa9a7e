// SPDX-License-Identifier: Apache-2.0
#include "runtime/musa/mcc.h"

#include <unistd.h>

#include <map>
#include <mutex>

#include "codegen/process.h"
#include "core/support/environment.h"
#include "core/support/progress.h"
#include "core/support/text.h"
#include "runtime/device_header.h"

namespace tilelab::runtime {

namespace {

bool is_program(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

}  // namespace

std::string find_mcc(std::string* problem) {
  if (const std::string given = environment("TILELAB_MCC"); !given.empty()) {
    if (is_program(given)) return given;
    *problem = given + " is not a program";
    return "";
  }
  std::vector<std::string> directories = split(environment("PATH"), ':');
  for (const char* home : {"MUSA_HOME", "MUSA_PATH"})
    if (const std::string at = environment(home); !at.empty()) directories.push_back(at + "/bin");
  directories.emplace_back("/usr/local/musa/bin");
  for (const std::string& directory : directories)
    if (is_program(directory + "/mcc")) return directory + "/mcc";
  *problem = "mcc is neither on PATH nor in /usr/local/musa/bin";
  return "";
}

std::string mcc_version(const std::string& mcc) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace(mcc);
  if (is_new) codegen::run_program({mcc, "--version"}, &at->second);
  return at->second;
}

std::vector<std::string> mcc_options(const Target& target) {
  return {"-x", "musa", "--cuda-gpu-arch=" + std::string(target.name), "-std=c++17", "-Od3",
          // canonicalize contracts; mcc must not.
          "-ffp-contract=off",
          // Swizzles and descriptors are relative to the first byte of shared memory.
          "-mllvm", "-mtgpu-alloc-shared-memory-from-zero=1"};
}

std::string compile_with_mcc(const std::string& mcc, const std::string& text, const Target& target,
                             std::string* log) {
  const codegen::ScratchDirectory scratch;
  const std::string source = scratch.write("kernel.mu", text);
  const std::string made = scratch.path() + "/kernel.mubin";
  std::vector<std::string> command{mcc};
  for (const std::string& option : mcc_options(target)) command.push_back(option);
  for (const std::string& word :
       {std::string("--cuda-device-only"), "-I" + codegen::device_directory(), source,
        std::string("-o"), made})
    command.push_back(word);
  const PhaseScope phase("compiled by mcc");
  const int status = codegen::run_program(command, log);
  std::string image = status == 0 ? read_text(made) : "";
  if (image.empty() && log->empty()) *log = "error " + std::to_string(status);
  return image;
}

}  // namespace tilelab::runtime
