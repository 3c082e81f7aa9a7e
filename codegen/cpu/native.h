// SPDX-License-Identifier: Apache-2.0
// Kernels and foreign functions as machine code of this CPU: the compiler, and what it made,
// loaded.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "core/sim/sim.h"

namespace tilelab::cpu {

// Compiled kernels, loaded.

/// The path of the compiler, TILELAB_CXX or c++ on the PATH; "" if there is none.
std::string compiler();

/// The compiler's diagnostics for a text with its usual warnings on; "" if there are none.
std::string complaints(const std::string& text);

/// Compiles a C++ text to the shared object `path`, which exports one function and needs no C++
/// library. `arch`: -march, "" for the compiler's default. "" or the error.
std::string build_library(const std::string& text, const std::string& exported,
                          const std::string& path, const std::string& arch);

class Library {
 public:
  using Entry = void (*)(void** args);  // takes the addresses of a kernel's arguments
  /// The kernels of a text; equal texts share one library. Null with the error.
  static std::shared_ptr<const Library> of(const codegen::Rendered& rendered, std::string* problem);
  ~Library();
  Entry entry(const std::string& kernel) const;

 private:
  static std::shared_ptr<const Library> compile(const codegen::Rendered& rendered,
                                                std::string* problem);
  void* handle_ = nullptr;
};

// Kernels for the host's cores, compiled by the system's C++ compiler and run on the caller's
// arrays. Same arguments and result as the simulator's run(). A run is a child process with copies
// of the arrays: a bad access or an interrupt ends that process, not the session.

class NativeFunction {
 public:
  /// The kernels of functions at flat level for the CPU, compiled together, since a compilation
  /// costs more than most runs. Equal texts are compiled once. Empty after an error: errors of the
  /// IR are reported, compiler errors are in `problem`.
  static std::vector<std::shared_ptr<NativeFunction>> make(const std::vector<FuncRef>& functions,
                                                           Diagnostics& sink, std::string* problem);
  /// Uses only `interrupt` and `not_finite` of the options: nothing is watched.
  sim::RunResult run(std::span<const sim::Argument> arguments,
                     const sim::RunOptions& options) const;

 private:
  void launch(const sim::Launch& launch, const sim::RunOptions& options,
              sim::RunResult& result) const;
  const codegen::RenderedKernel& rendered(const Kernel& kernel) const;

  FuncRef func_;
  std::vector<codegen::RenderedKernel> kernels_;
  std::shared_ptr<const Library> library_;
  std::set<Symbol> written_;  // global tensors
};

// Functions of the user's source (T.import_source), compiled for this machine, for the simulator.

/// Compiles the function of the sources, plain C++ except for CUDA's words such as __device__, with
/// the signature of core/sim/program/hosted.h: "f32 r2:f32 v:i32". Returns the key under which the
/// simulator finds it; "" if there is no compiler, or it rejects the text.
std::string build_hosted(const std::string& name, const std::string& signature,
                         const std::vector<std::string>& sources);

}  // namespace tilelab::cpu
