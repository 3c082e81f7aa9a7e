// SPDX-License-Identifier: Apache-2.0
// Which devices and targets there are. A device is looked for at run time; nothing is linked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

struct DeviceInfo {
  std::string name;  // "sim", "cpu", "musa", "cuda"
  bool present = false;
  std::string detail;  // what it is, or why it is not there: "no driver (libmusa.so.1 not found)"
};

/// Whether kernels run by a process of their own there: "cuda:worker", "cuda:worker:1".
bool is_worker(std::string_view name);
/// All devices in the order in which `auto` tries them: musa, cuda, cpu, sim. Where the chosen one
/// is by a worker, that is asked: this process keeps away from the driver.
std::vector<DeviceInfo> find_devices(std::string_view chosen = "");
/// "sim", "sim:thread", "cuda:1", "cuda:worker" ... : the device's name, or "" where it is none.
std::string device_base(std::string_view name);
/// Names that %device takes.
std::vector<std::string> device_names();

/// What %target completes: all records and TileLang's spellings of them.
std::vector<std::string> target_names();
/// Why code for `target` ("auto" = that of the device) can't run on `device`; "" if it can.
std::string check_pair(const std::string& device, const std::string& target);

}  // namespace tilelab
