// SPDX-License-Identifier: Apache-2.0
// A call's tensors that lie in host memory, on the device for as long as the call takes. Tensors
// that overlap are parts of one copy.
#pragma once

#include <vector>

#include "runtime/device.h"
#include "runtime/plan.h"

namespace tilelab::runtime {

class HostCopies {
 public:
  HostCopies(Device& device, Stream stream) : device_(device), stream_(stream) {}
  /// `value` is to be on the device; `written`: and comes back.
  void add(Value* value, bool written) { values_.push_back({value, written}); }
  /// Copies what was added, and gives the values their addresses on the device.
  void bring();
  /// Copies back what the kernel has written; its end was waited for.
  void give_back();
  /// For kernels that were not waited for: nothing comes back.
  void abandon() {
    for (Part& part : parts_) part.memory.abandon();
  }
  bool empty() const { return values_.empty(); }

 private:
  struct One {
    Value* value;
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
