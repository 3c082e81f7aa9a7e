// SPDX-License-Identifier: Apache-2.0
// L1 and L2: the command lines, and loading of g++'s output.
#include "tests/emulation/check.h"

#include <dlfcn.h>

#include <cstdlib>

#include "codegen/process.h"
#include "core/support/check.h"

namespace tilelab::musa {

namespace {

std::string program(const char* variable, const char* usual) {
  const char* given = std::getenv(variable);
  return given && *given ? given : usual;
}

bool known_arch(int arch, std::string* log) {
  if (arch == 220 || arch == 310) return true;
  *log += "architecture " + std::to_string(arch) + " is not 220 or 310\n";
  return false;
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

std::vector<std::string> kernel_names(const std::string& text) {
  std::vector<std::string> names;
  const std::string mark = "extern \"C\" __global__";
  for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    at += mark.size();
    // The name precedes the first parenthesis other than that of the launch bounds.
    size_t open = text.find('(', at);
    if (text.compare(open - std::min<size_t>(open, 17), 17, "__launch_bounds__") == 0)
      open = text.find('(', text.find(')', open));
    if (open == std::string::npos) break;
    size_t end = open;
    while (end > at && !is_name(text[end - 1])) --end;
    size_t begin = end;
    while (begin > at && is_name(text[begin - 1])) --begin;
    names.push_back(text.substr(begin, end - begin));
    at = open;
  }
  return names;
}

CheckResult type_check(const std::string& text, int arch) {
  CheckResult result;
  if (!known_arch(arch, &result.log)) return result;
  codegen::ScratchDirectory scratch;
  const std::string source = scratch.write("kernels.mu", text);
  const std::string number = std::to_string(arch);
  const int status = codegen::run_program(
      {program("TILELAB_CLANG", "clang++"), "-x", "cuda", "-nocudainc", "-nocudalib",
       "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-std=c++17", "-fsyntax-only",
       "-ffp-contract=off", "-Wall", "-Werror", "-Wno-unknown-cuda-version", "-Wno-pass-failed",
       "-Wno-unknown-attributes",
       // Comparisons and combinations are the user's choice.
       "-Wno-tautological-compare", "-Wno-xor-used-as-pow", "-DTL_STUB",
       "-D__MUSA_ARCH_LIST__=" + number, "-D__MUSA_ARCH__=" + number,
       "-I" + codegen::device_directory(), source},
      &result.log);
  result.ok = status == 0;
  return result;
}

std::unique_ptr<EmulatedModule> EmulatedModule::compile(const std::string& text, int arch,
                                                        std::string* log) {
  std::string ignored;
  if (!log) log = &ignored;
  if (!known_arch(arch, log)) return nullptr;
  std::string table = "\nTL_EMU_MODULE(";
  for (const std::string& name : kernel_names(text)) table += "TL_EMU_KERNEL(" + name + ") ";
  codegen::ScratchDirectory scratch;
  const std::string source = scratch.write("kernels.mu", text + table + ")\n");
  const std::string library = scratch.path() + "/kernels.so";
  const int status = codegen::run_program({program("TILELAB_GXX", "g++"),
                                           "-x",
                                           "c++",
                                           "-std=c++17",
                                           "-O0",  // compiling costs more than running
                                           "-ffp-contract=off",
                                           "-fwrapv",
                                           "-fno-strict-aliasing",
                                           "-fno-exceptions",
                                           "-fno-rtti",
                                           "-w",
                                           "-shared",
                                           "-fPIC",
                                           "-DTL_EMU",
                                           "-D__MUSA_ARCH__=" + std::to_string(arch),
                                           "-I" + codegen::device_directory(),
                                           source,
                                           "-o",
                                           library,
                                           "-lm"},
                                          log);
  if (status != 0) return nullptr;
  auto module = std::make_unique<EmulatedModule>();
  module->library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module->library_) {
    *log += dlerror();
    return nullptr;
  }
  module->info_ = static_cast<const tl_emu_module*>(dlsym(module->library_, "tl_emu_module_info"));
  CHECK(module->info_ != nullptr, library);
  return module;
}

EmulatedModule::~EmulatedModule() {
  if (library_) dlclose(library_);
}

void* EmulatedModule::symbol(const char* name) const { return dlsym(library_, name); }

emu::LaunchReport EmulatedModule::launch(const std::string& kernel, tl_emu_dim grid,
                                         tl_emu_dim block, const std::vector<void*>& args,
                                         const emu::LaunchOptions& options) {
  return emu::launch(*info_, kernel, grid, block, const_cast<void**>(args.data()), options);
}

}  // namespace tilelab::musa
