// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/native.h"

#include <dlfcn.h>

#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>

#include "codegen/c_family/types.h"
#include "codegen/process.h"
#include "core/sim/program/hosted.h"
#include "core/support/fork_safe.h"
#include "core/support/text.h"

namespace tilelab::cpu {

namespace {

constexpr const char* kBefore = "#include \"tl_device.h\"\n#include \"tl_foreign.h\"\n";

/// A function that takes the addresses of its arguments and of its result.
std::string entry(const std::string& name, const sim::HostedSignature& signature) {
  std::vector<std::string> arguments;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const sim::HostedParameter& parameter = signature.parameters[i];
    const std::string pointer =
        "(" + codegen::c_type(parameter.dtype) + "*)arguments[" + std::to_string(i) + "]";
    arguments.push_back("tl_to_foreign(" +
                        (parameter.access == 'v' ? "*(" + pointer + ")" : pointer) + ")");
  }
  std::string call = name + "(" + join(arguments, ", ") + ")";
  if (signature.result) {
    const std::string type = codegen::c_type(*signature.result);
    call = "*(" + type + "*)result = tl_from_foreign<" + type + ">(" + call + ")";
  }
  return "extern \"C\" void tl_hosted([[maybe_unused]] void** arguments, [[maybe_unused]] void* "
         "result) {\n  " +
         call + ";\n}\n";
}

/// Loads the function; its library stays loaded, because kernels keep its key.
bool load(const std::string& text, const std::string& key) {
  const codegen::ScratchDirectory scratch;
  const std::string file = scratch.path() + "/hosted.so";
  if (!build_library(text, "tl_hosted", file, "").empty()) return false;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* function = library ? dlsym(library, "tl_hosted") : nullptr;
  if (!function) return false;
  sim::add_hosted(key, reinterpret_cast<sim::HostedFunction>(function));
  return true;
}

}  // namespace

std::string build_hosted(const std::string& name, const std::string& signature,
                         const std::vector<std::string>& sources) {
  static ForkSafe<std::mutex> mutex;
  static std::map<std::string, std::string> known;  // text -> key
  const auto parsed = sim::parse_hosted("key " + signature);
  if (!parsed || sources.empty() || compiler().empty()) return "";
  std::string text = kBefore;
  for (const std::string& source : sources) text += source + "\n";
  text += entry(name, *parsed);
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known.emplace(text, "");
  if (!is_new) return place->second;
  char key[32];  // of the text: IR that was written to a file names the same function elsewhere
  std::snprintf(key, sizeof key, "h%016zx", std::hash<std::string>()(text));
  try {
    if (load(text, key)) place->second = key;
  } catch (const std::runtime_error&) {  // no scratch directory: as without a compiler
  }
  return place->second;
}

}  // namespace tilelab::cpu
