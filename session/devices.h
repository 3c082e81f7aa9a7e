// SPDX-License-Identifier: Apache-2.0
// The available devices and targets. Devices are detected at run time; nothing is linked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

struct DeviceInfo {
  std::string name;  // "sim", "cpu", "musa", "cuda"
  bool present = false;
  std::string
      detail;  // a description, or why it is unavailable: "no driver (libmusa.so.1 not found)"
};

/// Whether kernels run in a separate process there: "cuda:worker", "cuda:worker:1".
bool is_worker(std::string_view name);
/// All devices in the order in which `auto` tries them: musa, cuda, cpu, sim. If the chosen one
/// uses a worker, the worker is queried: this process never loads the driver.
std::vector<DeviceInfo> find_devices(std::string_view chosen = "");
/// The target of kernels that run on the simulator.
inline constexpr const char* kSimulatedTarget = "mp_31";
/// A line for the start of a session: where kernels run, and for which target. Initializes no
/// driver.
std::string where_kernels_run();
/// "sim", "sim:thread", "cuda:1", "cuda:worker" ... : the device's name, or "" if invalid.
std::string device_base(std::string_view name);
/// Valid names for %device.
std::vector<std::string> device_names();

/// Completions of %target: all records and TileLang's spellings of them.
std::vector<std::string> target_names();
/// Why code for `target` ("auto": the device's) cannot run on `device`; "" if it can.
std::string check_pair(const std::string& device, const std::string& target);

}  // namespace tilelab
