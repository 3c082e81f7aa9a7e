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

/// All devices in the order in which `auto` tries them: musa, cuda, cpu, sim.
std::vector<DeviceInfo> find_devices();
/// "sim", "sim:thread", "cuda:1" ... : the device's name, or "" where it is none.
std::string device_base(std::string_view name);
/// Names that %device takes.
std::vector<std::string> device_names();

/// What %target completes: all records and TileLang's spellings of them.
std::vector<std::string> target_names();
/// Why code for `target` ("auto" = that of the device) can't run on `device`; "" if it can.
std::string check_pair(const std::string& device, const std::string& target);

}  // namespace tilelab
