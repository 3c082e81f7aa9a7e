// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver.h"

#include <dlfcn.h>

#include <cstdlib>

#include "core/support/environment.h"

namespace tilelab::runtime {

namespace {

/// If one driver has only "NameOf_v2", another has the equivalent "NameOf".
void* find(void* library, const std::string& name) {
  if (void* found = dlsym(library, name.c_str())) return found;
  const size_t suffix = name.rfind("_v2");
  return suffix == std::string::npos ? nullptr : dlsym(library, name.substr(0, suffix).c_str());
}

/// Profilers may show a graph instead of its kernel's name; these variables inject them into a
/// process.
bool tools_watch() {
  return environment_flag("CUDA_INJECTION64_PATH") || environment_flag("NVTX_INJECTION64_PATH");
}

/// Finds a function of an optional table; false if the driver lacks it.
template <class F> bool resolve(const Driver& driver, F& field, const char* name) {
  field = reinterpret_cast<F>(driver.symbol(name));
  return field != nullptr;
}

GraphCalls graphs_of(const Driver& driver) {
  GraphCalls found;
  bool whole = true;
#define GRAPH(field, name, ...) whole &= resolve(driver, found.field, name);
#include "runtime/graphs.def"
#undef GRAPH
  return whole ? found : GraphCalls{};
}

CaptureCalls captures_of(const Driver& driver) {
  CaptureCalls found;
  bool whole = true;
#define CAPTURE(field, name, ...) whole &= resolve(driver, found.field, name);
#include "runtime/captures.def"
#undef CAPTURE
  return whole ? found : CaptureCalls{};
}

}  // namespace

void* open_library(const std::string& path, std::string* problem) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) *problem = path + " not found";
  return library;
}

/// The file of the driver's library, or the one that the user names in its place.
static std::string library_of(const DriverSource& source) {
  const char* given = std::getenv(source.variable);
  return given && *given ? given : source.library;
}

bool is_installed(const DriverSource& source) {
  void* library = dlopen(library_of(source).c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library) dlclose(library);
  return library != nullptr;
}

std::unique_ptr<Driver> Driver::open(const DriverSource& source, std::string* problem) {
  auto driver = std::make_unique<Driver>();
  driver->source = &source;
  driver->library = open_library(library_of(source), problem);
  if (!driver->library) return nullptr;
  auto resolve = [&](auto& field, const std::string& name) {
    field = reinterpret_cast<std::remove_reference_t<decltype(field)>>(
        find(driver->library, source.prefix + name));
    if (!field) *problem = "the driver is too old: it has no " + (source.prefix + name);
    return field != nullptr;
  };
#define DRIVER(field, name, ...) \
  if (!resolve(driver->field, name)) return nullptr;
#include "runtime/driver.def"
#undef DRIVER
  if (source.map_encoder) driver->map_encoder = driver->symbol(source.map_encoder);
  driver->captures = captures_of(*driver);
  if (source.graphs && !environment_flag(source.blocking) && !tools_watch())
    driver->graphs = graphs_of(*driver);
  return driver;
}

std::string Driver::status_text(Status status) const {
  const char *name = nullptr, *text = nullptr;
  if (error_name(status, &name) != 0 || !name) return "error " + std::to_string(status);
  error_text(status, &text);
  return text ? std::string(name) + " (" + text + ")" : name;
}

void* Driver::symbol(const char* name) const {
  return find(library, std::string(source->prefix) + name);
}

}  // namespace tilelab::runtime
