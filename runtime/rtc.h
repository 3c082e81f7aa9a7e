// SPDX-License-Identifier: Apache-2.0
// A vendor's run-time compiler, a library that is loaded on demand.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilelab::runtime {

/// The library of a run-time compiler and the names of its functions.
struct RtcSource {
  const char* name;                // "NVRTC"
  const char* prefix;              // of the functions' names
  const char* variable;            // environment variable that names another library
  const char *machine, *portable;  // Get..., Get...Size: code for one GPU; for later ones, or null
  std::vector<std::string> places;
};

extern const RtcSource kNvrtc, kMtrtc;

/// Adds library paths to search, from a Python environment.
void add_nvrtc_paths(std::vector<std::string> files);
/// Folders with CUDA's headers: of the toolkit, and of the packages that contain NVRTC.
std::vector<std::string> cuda_headers();

class RuntimeCompiler {
 public:
  struct ProgramObject;
  using Program = ProgramObject*;

  /// Loaded once per process; null, with the error, if there is none.
  static const RuntimeCompiler* get(const RtcSource& source, std::string* problem);
  std::string version() const;
  bool at_least(int major, int minor) const;
  /// Compiles to an image; "" with the compiler's errors.
  std::string compile(const std::string& text, const std::map<std::string, std::string>& headers,
                      const std::vector<std::string>& options, bool portable,
                      std::string* log) const;

 private:
  struct Image {
    int (*size)(Program, size_t*) = nullptr;
    int (*get)(Program, char*) = nullptr;
  };
  static std::unique_ptr<RuntimeCompiler> open(const RtcSource& source, std::string* problem);
  bool load(void* library, const RtcSource& source);
  static std::string read(Program program, const Image& image);

#define RTC(field, name, ...) int (*field##_)(__VA_ARGS__) = nullptr;
#include "runtime/rtc.def"
#undef RTC
  Image machine_, portable_;
};

}  // namespace tilelab::runtime
