// SPDX-License-Identifier: Apache-2.0
// Compiled kernels, loaded.
#pragma once

#include <memory>
#include <string>

#include "codegen/codegen.h"

namespace tilelab::cpu {

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

}  // namespace tilelab::cpu
