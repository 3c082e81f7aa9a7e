// SPDX-License-Identifier: Apache-2.0
// Random layouts, and the layout algebra checked on them against enumeration. A layout is made from
// bytes, so that the unit test (random bytes) and the fuzzer (chosen bytes) share all of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/layout/layout.h"

namespace tilelab::test {

/// Choices drawn from a string of bytes; zeros past its end.
class ByteSource {
 public:
  ByteSource(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  int64_t below(int64_t n) {
    uint32_t word = 0;
    for (int i = 0; i < 2; ++i) word = word << 8 | (at_ < size_ ? data_[at_++] : 0);
    return n > 0 ? int64_t(word) % n : 0;
  }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

/// Fragment or address layout of rank 1 to 3, with holes, padding, replicas, overlaps.
Layout random_layout(ByteSource& bytes);
/// Runs every property on layouts made from `data`; the first broken one as text, else "".
std::string check_layout_properties(const uint8_t* data, size_t size);

}  // namespace tilelab::test
