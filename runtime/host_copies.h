// SPDX-License-Identifier: Apache-2.0
// Device copies of a call's tensors in host memory, for the duration of the call. Overlapping
// tensors are parts of one copy.
#pragma once

#include <vector>

#include "runtime/device.h"
#include "runtime/plan.h"

namespace tilelab::runtime {

class HostCopies {
 public:
  HostCopies(Device& device, Stream stream) : device_(device), stream_(stream) {}
  /// Adds a value to copy to the device; `written`: and back.
  void add(host::Value* value, bool written) { values_.push_back({value, written}); }
  /// Copies what was added, and sets the values' addresses on the device.
  void copy_in();
  /// Copies back what the kernel has written; the caller has waited for its end.
  void copy_back();
  /// For kernels still running: copies nothing back.
  void abandon() {
    for (Part& part : parts_) part.memory.abandon();
  }
  bool empty() const { return values_.empty(); }

 private:
  struct One {
    host::Value* value;
    bool written;
  };
  struct Part {
    uint8_t *begin, *end;
    bool written;
    DeviceMemory memory;
  };

  Device& device_;
  Stream stream_;
  std::vector<One> values_;
  std::vector<Part> parts_;
};

}  // namespace tilelab::runtime
