// SPDX-License-Identifier: Apache-2.0
// Compiles text to functions of this process.
#include "codegen/cpu/native.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>

#include "codegen/process.h"
#include "core/support/fork_safe.h"
#include "core/support/progress.h"
#include "core/support/text.h"

namespace tilelab::cpu {

namespace {

/// canonicalize contracts already; integers wrap; elements are accessed through views.
constexpr const char* kMeaning[] = {
    "-O3",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fwrapv",
    "-fno-strict-aliasing",
#if defined(__x86_64__)
    // g++ 12 compiles a vector load with a constant AVX-512 mask to a full one, past the end.
    "-mno-avx512f",
#endif
};

/// Appended to the kernels: for each a function that takes its arguments by address.
std::string entries(const std::vector<codegen::RenderedKernel>& kernels) {
  std::string out = R"(
#include <utility>

template <class... P, size_t... I>
static void tl_call(void (*kernel)(P...), void** args, std::index_sequence<I...>) {
  kernel(*(P*)args[I]...);
}
template <class... P>
static void tl_call(void (*kernel)(P...), void** args) {
  tl_call(kernel, args, std::index_sequence_for<P...>());
}
)";
  for (const codegen::RenderedKernel& kernel : kernels)
    out += "extern \"C\" void tl_call_" + kernel.name +
           "([[maybe_unused]] void** args) { tl_call(" + kernel.name + ", args); }\n";
  return out;
}

/// The first error line of a compiler's messages.
std::string complaint(const std::string& log) {
  for (const std::string& line : split(log, '\n'))
    if (line.find("error") != std::string::npos) return line;
  return log.substr(0, log.find('\n'));
}

}  // namespace

std::string compiler() {
  const char* given = std::getenv("TILELAB_CXX");
  const std::string name = given && *given ? given : "c++";
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  for (const std::string& directory : split(path ? path : "", ':')) {
    const std::string file = (directory.empty() ? "." : directory) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

namespace {

/// Compiles `text` to the shared object `file`. "" or the error.
std::string compile_shared(const std::string& text, const std::string& file,
                           const std::vector<std::string>& options) {
  const std::string program = compiler();
  if (program.empty()) return "no C++ compiler found";
  codegen::ScratchDirectory scratch;
  const std::string source = scratch.write("kernels.cpp", text);
  std::vector<std::string> command{program, "-std=c++17", "-w", "-shared", "-fPIC"};
  command.insert(command.end(), std::begin(kMeaning), std::end(kMeaning));
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-I" + codegen::device_directory(), source, "-o", file, "-lm"});
  std::string log;
  const PhaseScope phase("compiled by the C++ compiler");
  int status = codegen::run_program(command, &log);
  // g++ 12 at -O3 crashes on some vectors.
  if (status != 0 && log.find("internal compiler error") != std::string::npos) {
    command.push_back("-O1");
    log.clear();
    status = codegen::run_program(command, &log);
  }
  return status == 0 ? "" : program + " says: " + complaint(log);
}

}  // namespace

std::string build_library(const std::string& text, const std::string& exported,
                          const std::string& path, const std::string& arch) {
  const codegen::ScratchDirectory scratch;
  // Two libraries in one process share nothing, not even the variables of inline functions.
  const std::string script = scratch.write("exports", "{ global: " + exported + "; local: *; };");
  std::vector<std::string> options{"-static-libgcc", "-fno-exceptions", "-fno-rtti",
                                   "-Wl,--as-needed", "-Wl,--version-script=" + script};
  if (!arch.empty()) options.push_back("-march=" + arch);
  return compile_shared(text, path, options);
}

std::string complaints(const std::string& text) {
  codegen::ScratchDirectory scratch;
  const std::string source = scratch.write("kernels.cpp", text);
  std::string log;
  const int status = codegen::run_program(
      {compiler(), "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
       // Comparisons, combinations and unused values are the user's choice.
       "-Wno-tautological-compare", "-Wno-shift-negative-value", "-Wno-unused-variable",
       "-Wno-unused-but-set-variable", "-Wno-unused-parameter",
       // g++ 12 narrows `5u | (unsigned)x` to the type of an x that it knows to be negative, and
       // then warns about it.
       "-Wno-overflow", "-isystem", codegen::device_directory(), source},
      &log);
  return status == 0 ? "" : log;
}

Library::~Library() {
  if (handle_) dlclose(handle_);
}

Library::Entry Library::entry(const std::string& kernel) const {
  return reinterpret_cast<Entry>(dlsym(handle_, ("tl_call_" + kernel).c_str()));
}

std::shared_ptr<const Library> Library::compile(const codegen::Rendered& rendered,
                                                std::string* problem) {
  const codegen::ScratchDirectory scratch;
  const std::string file = scratch.path() + "/kernels.so";
  *problem = compile_shared(rendered.text + entries(rendered.kernels), file, {"-march=native"});
  if (!problem->empty()) return nullptr;
  auto library = std::make_shared<Library>();
  library->handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle_) return library;
  *problem = compiler() + " says: " + dlerror();
  return nullptr;
}

std::shared_ptr<const Library> Library::of(const codegen::Rendered& rendered,
                                           std::string* problem) {
  static ForkSafe<std::mutex> mutex;
  static std::map<std::string, std::weak_ptr<const Library>> known;  // by text
  const std::lock_guard lock(mutex);
  std::weak_ptr<const Library>& entry = known[rendered.text];
  if (auto library = entry.lock()) return library;
  try {
    auto library = compile(rendered, problem);
    entry = library;
    return library;
  } catch (const std::runtime_error& error) {
    *problem = error.what();
    return nullptr;
  }
}

}  // namespace tilelab::cpu
