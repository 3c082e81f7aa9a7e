// SPDX-License-Identifier: Apache-2.0
#include "session/devices.h"

#include <dlfcn.h>

#include "codegen/cpu/library.h"
#include "core/support/text.h"
#include "core/targets/target.h"

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
  const std::string compiler = cpu::compiler();
  devices.push_back({"cpu", !compiler.empty(),
                     compiler.empty() ? "no C++ compiler (c++, or what TILELAB_CXX names)"
                                      : "this machine, by " + compiler});
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
  std::vector<std::string> names{"auto"};
  for (const Target& target : all_targets()) names.emplace_back(target.name);
  for (const char* spelling : {"musa", "cuda", "c", "llvm"}) names.emplace_back(spelling);
  return names;
}

std::string check_pair(const std::string& device, const std::string& target) {
  std::string base = device_base(device);
  const Target* record = find_target(target);
  if (!record || base == "sim" || base == "auto") return "";
  const char* families[] = {"musa", "cuda", "cpu"};
  std::string family = families[static_cast<int>(record->family)];
  if (family == base) return "";
  return "device " + device + " can't run code for target " + target + "; set %target auto, or a " +
         base + " target";
}

}  // namespace tilelab
