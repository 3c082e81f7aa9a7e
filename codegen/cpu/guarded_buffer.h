// SPDX-License-Identifier: Apache-2.0
// Memory between unmapped pages.
#pragma once

#include <cstddef>

namespace tilelab::codegen {

/// Memory for a kernel's tensor: unmapped pages on both sides, the end as close to the second as
/// `align` allows, so that an overrun faults. Filled with `poison`. A `shared` buffer receives
/// writes of child processes.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t bytes, size_t align = 16, unsigned char poison = 0xff,
                         bool shared = false);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;
  template <class T> T* as() const { return static_cast<T*>(data_); }
  void* data() const { return data_; }
  size_t size() const { return bytes_; }

 private:
  char* pages_ = nullptr;
  size_t mapped_ = 0, bytes_ = 0;
  void* data_ = nullptr;
};

}  // namespace tilelab::codegen
