// SPDX-License-Identifier: Apache-2.0
#include "session/devices.h"

#include "codegen/cpu/native.h"
#include "core/support/environment.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "runtime/device.h"

namespace tilelab {
namespace {

constexpr std::string_view kWorker = "cuda:worker";

/// A vendor's GPUs.
DeviceInfo gpus(const runtime::Platform& platform) {
  std::string problem;
  const int devices = runtime::Device::count(platform, &problem);
  return {platform.source().device, devices > 0, devices ? plural(devices, "device") : problem};
}

}  // namespace

bool is_worker(std::string_view name) {
  return name.starts_with(kWorker) &&
         (name.size() == kWorker.size() || name[kWorker.size()] == ':');
}

std::vector<DeviceInfo> find_devices(std::string_view chosen) {
  std::vector<DeviceInfo> devices{
      gpus(runtime::musa()), gpus(is_worker(chosen) ? runtime::cuda_worker() : runtime::cuda())};
  DeviceInfo& cuda = devices.back();
  cuda.name = "cuda";
  if (cuda.present)
    cuda.detail += "; cuda:worker: in a separate process, so that a fault does not end this one";
  const std::string compiler = cpu::compiler();
  devices.push_back({"cpu", !compiler.empty(),
                     compiler.empty() ? "no C++ compiler (c++, or the one in TILELAB_CXX)"
                                      : "this machine, by " + compiler});
  devices.push_back({"sim", true, "the simulated GPU"});
  return devices;
}

std::string where_kernels_run() {
  const char* choose = "; %device and %target select others";
  for (const runtime::Platform* platform : {&runtime::musa(), &runtime::cuda()})
    if (runtime::is_installed(platform->source()))
      return std::string("device: ") + platform->source().device + ", if it has a GPU" + choose;
  const std::string given = environment("TILELANG_DEFAULT_TARGET");  // as in settings.py
  const bool usual = given.empty() || given == "auto";
  return "device: simulator (no GPU driver found), target: " +
         (usual ? std::string(kSimulatedTarget) : given) + choose;
}

std::vector<std::string> device_names() {
  return {"auto", "sim",  "sim:tile", "sim:thread", "sim:flat",
          "cpu",  "musa", "cuda",     "cuda:worker"};
}

std::string device_base(std::string_view name) {
  std::string base(name.substr(0, name.find(':')));
  std::string rest(name.size() > base.size() ? name.substr(base.size() + 1) : "");
  if (base == "sim" && (name == base || rest == "tile" || rest == "thread" || rest == "flat"))
    return base;
  if (is_worker(name)) rest = name.size() > kWorker.size() ? name.substr(kWorker.size() + 1) : "0";
  if ((base == "musa" || base == "cuda") && (name == base || is_digits(rest))) return base;
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
  return "device " + device + " cannot run code for target " + target +
         "; set %target auto, or a " + base + " target";
}

}  // namespace tilelab
