// SPDX-License-Identifier: Apache-2.0
#include "session/devices.h"

#include <dlfcn.h>

#include "core/support/text.h"

namespace tilelab {
namespace {

/// A GPU driver: its library and the two calls that count devices; CUDA's and MUSA's are alike.
struct Driver {
  const char *device, *library, *init, *count;
};
constexpr Driver drivers[] = {{"musa", "libmusa.so.1", "muInit", "muDeviceGetCount"},
                              {"cuda", "libcuda.so.1", "cuInit", "cuDeviceGetCount"}};

DeviceInfo probe(const Driver& driver) {
  DeviceInfo info{driver.device, false, ""};
  void* library = dlopen(driver.library, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    info.detail = std::string("no driver (") + driver.library + " not found)";
    return info;
  }
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, driver.init));
  auto count = reinterpret_cast<int (*)(int*)>(dlsym(library, driver.count));
  int devices = 0;
  int status = init && count ? init(0) : -1;
  if (status == 0) status = count(&devices);
  if (status != 0) {
    info.detail = std::string("the driver answers with error ") + std::to_string(status) + " to " +
                  driver.init;
  } else if (devices == 0) {
    info.detail = "a driver, but no device";
  } else {
    info.present = true;
    info.detail = plural(devices, "device");
  }
  return info;
}

}  // namespace

std::vector<DeviceInfo> find_devices() {
  std::vector<DeviceInfo> devices;
  for (const Driver& driver : drivers) devices.push_back(probe(driver));
  devices.push_back({"cpu", false, "planned: kernels compiled for this machine"});
  devices.push_back({"sim", true, "the simulated GPU"});
  return devices;
}

std::vector<std::string> device_names() {
  return {"auto", "sim", "sim:tile", "sim:thread", "sim:flat", "cpu", "musa", "cuda"};
}

std::string device_base(std::string_view name) {
  std::string base(name.substr(0, name.find(':')));
  std::string rest(name.size() > base.size() ? name.substr(base.size() + 1) : "");
  bool number = !rest.empty() && rest.find_first_not_of("0123456789") == std::string::npos;
  if (base == "sim" && (name == base || rest == "tile" || rest == "thread" || rest == "flat"))
    return base;
  if ((base == "musa" || base == "cuda") && (name == base || number)) return base;
  if (name == "cpu" || name == "auto") return base;
  return "";
}

std::vector<std::string> target_names() {
  return {"auto", "mp_31", "mp_22", "sm_90a", "sm_80", "cpu", "musa", "cuda", "c", "llvm"};
}

std::string resolve_target(std::string_view spelling) {
  struct Alias {
    std::string_view spelling, target;
  };
  static constexpr Alias aliases[] = {
      {"auto", "auto"}, {"mp_31", "mp_31"},   {"mp_22", "mp_22"}, {"sm_90a", "sm_90a"},
      {"sm_80", "sm_80"}, {"cpu", "cpu"},     {"musa", "mp_31"},  {"cuda", "sm_90a"},
      {"c", "cpu"},       {"llvm", "cpu"},    {"sm_90", "sm_90a"}};
  std::string_view name = strip(spelling);
  if (size_t arch = name.find("-arch="); arch != std::string_view::npos) {
    std::string_view platform = strip(name.substr(0, arch));
    std::string_view value = strip(name.substr(arch + 6));
    bool musa = value.rfind("mp_", 0) == 0, cuda = value.rfind("sm_", 0) == 0;
    if ((platform == "musa" && !musa) || (platform == "cuda" && !cuda)) return "";
    name = value;
  }
  for (const Alias& alias : aliases)
    if (alias.spelling == name) return std::string(alias.target);
  return "";
}

}  // namespace tilelab
