// SPDX-License-Identifier: Apache-2.0
// NVIDIA's run-time compiler, a library that is opened where it is needed.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilelab::runtime {

/// More places where the library may lie, as a Python environment knows them.
void look_for_nvrtc_in(std::vector<std::string> files);

class Nvrtc {
 public:
  struct ProgramObject;
  using Program = ProgramObject*;

  /// Opened once a process; null, with what is wrong, where there is none.
  static const Nvrtc* get(std::string* problem);
  std::string version() const;
  /// The image, PTX where an option asks for compute_*; "" with what the compiler says.
  std::string compile(const std::string& text, const std::map<std::string, std::string>& headers,
                      const std::vector<std::string>& options, bool ptx, std::string* log) const;

 private:
  static std::unique_ptr<Nvrtc> open(std::string* problem);
  bool load(void* library);
  std::string read(Program program, int (*size)(Program, size_t*),
                   int (*get)(Program, char*)) const;

#define NVRTC(field, ...) int (*field##_)(__VA_ARGS__) = nullptr;
#include "runtime/cuda/nvrtc.def"
#undef NVRTC
};

}  // namespace tilelab::runtime
