// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_copies.h"

#include <algorithm>

namespace tilelab::runtime {

namespace {

uint8_t* begin_of(const host::Value& value) { return static_cast<uint8_t*>(value.data); }
uint8_t* end_of(const host::Value& value) { return begin_of(value) + value.bytes; }

}  // namespace

void HostCopies::copy_in() {
  std::sort(values_.begin(), values_.end(),
            [](const One& a, const One& b) { return a.value->data < b.value->data; });
  for (size_t first = 0, next = 0; first < values_.size(); first = next) {
    uint8_t* const begin = begin_of(*values_[first].value);
    uint8_t* end = end_of(*values_[first].value);
    bool written = false;
    for (; next < values_.size() && (next == first || begin_of(*values_[next].value) < end);
         ++next) {
      end = std::max(end, end_of(*values_[next].value));
      written |= values_[next].written;
    }
    parts_.push_back({begin, end, written, DeviceMemory(device_, end - begin)});
    const Address at = parts_.back().memory.address();
    device_.copy_in(at, begin, end - begin, stream_);
    for (size_t i = first; i < next; ++i) {
      host::Value& value = *values_[i].value;
      value.data = reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
          at + Address(begin_of(value) - begin));
    }
  }
}

void HostCopies::copy_back() {
  for (const Part& part : parts_) {
    if (part.written)
      device_.copy_out(part.begin, part.memory.address(), part.end - part.begin, stream_);
  }
  if (!parts_.empty()) device_.wait(stream_, nullptr);
}

}  // namespace tilelab::runtime
