// SPDX-License-Identifier: Apache-2.0
// Compiled kernels, loaded.
#pragma once

#include <memory>
#include <string>

#include "codegen/codegen.h"

namespace tilelab::cpu {

/// Where the compiler lies, TILELAB_CXX or c++ on the PATH; "" where there is none.
std::string compiler();

/// What the compiler says of a text with its usual warnings on; "" where it takes it in silence.
std::string complaints(const std::string& text);

class Library {
 public:
  using Entry = void (*)(void** args);  // takes the addresses of a kernel's arguments
  /// The kernels of a text; equal texts are one library. Null with what is wrong.
  static std::shared_ptr<const Library> of(const codegen::Rendered& rendered, std::string* problem);
  ~Library();
  Entry entry(const std::string& kernel) const;

 private:
  static std::shared_ptr<const Library> compile(const codegen::Rendered& rendered,
                                                std::string* problem);
  void* handle_ = nullptr;
};

}  // namespace tilelab::cpu
