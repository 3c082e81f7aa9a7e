// SPDX-License-Identifier: Apache-2.0
// Tensors at addresses that a kernel reads: memory of this process, of which the simulator knows
// only what the operating system reports. Shared by the workers of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tilelab::sim {

class AddressSpace {
 public:
  AddressSpace() = default;
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// Memory starts here: the first page of a process is never mapped. Addresses below are relative
  /// to it, so that all valid ones are offsets of one object.
  static constexpr int64_t origin = 4096;
  static uint8_t* begin() { return reinterpret_cast<uint8_t*>(uintptr_t{origin}); }
  /// Generated code assumes this alignment, as of arguments.
  static constexpr int64_t alignment = 16;

  /// A tensor of `bytes` bytes at `address`, which the kernel reads or writes.
  struct Tensor {
    uint8_t* data = nullptr;  // its memory; without access to it, zeros that nothing else uses
    std::string problem;      // why the kernel must not access it; empty: it may
  };
  Tensor tensor(int64_t address, int64_t bytes, bool written);

  /// Numbers the bytes of tensor `memory`, unless they have numbers: dense ones, for tables by
  /// byte.
  void add(int32_t memory, const uint8_t* data, int64_t bytes);
  /// The number of a byte of a tensor, the same for equal addresses.
  int64_t number(const uint8_t* address);
  /// The tensor whose byte has that number, and which of its bytes it is.
  std::pair<int32_t, int64_t> tensor_of(int64_t number);

 private:
  struct Range {
    uint64_t begin = 0, end = 0;
    bool readable = false, writable = false;
  };
  void read_ranges();
  std::string problem(uint64_t begin, uint64_t end, bool written) const;
  uint8_t* zeros(int64_t bytes);

  std::mutex mutex_;
  std::vector<Range> ranges_;  // of the process, sorted; adjacent ones with equal access are joined
  struct Numbered {
    uint64_t end = 0;
    int64_t first = 0;    // number of the first byte
    int32_t memory = -1;  // that it was numbered for,
    int64_t byte = 0;     // and which of its bytes the first is
  };
  std::map<uint64_t, Numbered> numbered_;  // by the first address
  int64_t count_ = 0;
  std::map<size_t, void*> zeros_;  // by size
};

}  // namespace tilelab::sim
