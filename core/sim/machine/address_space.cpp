// SPDX-License-Identifier: Apache-2.0
#include "core/sim/machine/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "core/support/check.h"

namespace tilelab::sim {

AddressSpace::~AddressSpace() {
  for (const auto& [bytes, memory] : zeros_) munmap(memory, bytes);
}

/// Reads the mappings of this process. Without /proc there are none.
void AddressSpace::read_ranges() {
  ranges_.clear();
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  if (!maps) return;
  char line[8192];
  while (std::fgets(line, sizeof line, maps)) {
    uint64_t begin = 0, end = 0;
    char access[5] = {};
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, access) != 3) continue;
    const Range range{begin, end, access[0] == 'r', access[1] == 'w'};
    Range* last = ranges_.empty() ? nullptr : &ranges_.back();
    if (last && last->end == begin && last->readable == range.readable &&
        last->writable == range.writable)
      last->end = end;
    else
      ranges_.push_back(range);
  }
  std::fclose(maps);
}

static std::string no_memory_at(uint64_t address) {
  char text[64];
  std::snprintf(text, sizeof text, "no memory of this process is at 0x%" PRIx64, address);
  return text;
}

std::string AddressSpace::problem(uint64_t begin, uint64_t end, bool written) const {
  for (uint64_t at = begin; at < end;) {
    const auto range = std::find_if(ranges_.begin(), ranges_.end(),
                                    [&](const Range& r) { return r.begin <= at && at < r.end; });
    if (range == ranges_.end() || !range->readable)
      return at == begin ? no_memory_at(begin)
                         : "only its first " + std::to_string(at - begin) + " of " +
                               std::to_string(end - begin) + " bytes are memory of this process";
    if (written && !range->writable) return "its memory is read-only, and the kernel writes it";
    at = range->end;
  }
  return "";
}

/// Memory in place of a tensor that cannot be accessed: pages take space when they are written.
uint8_t* AddressSpace::zeros(int64_t bytes) {
  const auto size = size_t(std::max<int64_t>(bytes, 1));
  void*& made = zeros_[size];
  if (made) return static_cast<uint8_t*>(made);
  made = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
              -1, 0);
  CHECK(made != MAP_FAILED, "no memory in place of a tensor");
  return static_cast<uint8_t*>(made);
}

AddressSpace::Tensor AddressSpace::tensor(int64_t address, int64_t bytes, bool written) {
  const uint64_t begin = uint64_t(address), end = begin + uint64_t(bytes);
  std::lock_guard lock(mutex_);
  Tensor out;
  if (begin % alignment != 0) {
    out.problem = "its address is not a multiple of " + std::to_string(alignment) +
                  " bytes: the remainder is " + std::to_string(begin % alignment);
  } else if (address < origin || address > INT64_MAX - bytes) {
    out.problem = address == 0 ? "its address is null" : no_memory_at(begin);
  } else if (bytes > 0) {
    out.problem = problem(begin, end, written);
    if (!out.problem.empty()) read_ranges(), out.problem = problem(begin, end, written);
  }
  if (out.problem.empty()) {
    out.data = reinterpret_cast<uint8_t*>(uintptr_t(begin));
    return out;
  }
  out.data = zeros(bytes);
  return out;
}

void AddressSpace::add(int32_t memory, const uint8_t* data, int64_t bytes) {
  const uint64_t begin = reinterpret_cast<uintptr_t>(data);
  const uint64_t end = (begin + uint64_t(bytes) + alignment - 1) / alignment * alignment;
  std::lock_guard lock(mutex_);
  for (uint64_t at = begin / alignment * alignment; at < end;) {
    auto next = numbered_.upper_bound(at);
    if (next != numbered_.begin() && std::prev(next)->second.end > at) {
      at = std::prev(next)->second.end;
      continue;
    }
    const uint64_t stop = next == numbered_.end() ? end : std::min(end, next->first);
    numbered_.emplace(at, Numbered{stop, count_, memory, int64_t(at) - int64_t(begin)});
    count_ += int64_t(stop - at);
    at = stop;
  }
}

int64_t AddressSpace::number(const uint8_t* address) {
  const auto at = uint64_t(reinterpret_cast<uintptr_t>(address));
  std::lock_guard lock(mutex_);
  auto next = numbered_.upper_bound(at);
  CHECK(next != numbered_.begin() && at < std::prev(next)->second.end, "an address of no tensor");
  return std::prev(next)->second.first + int64_t(at - std::prev(next)->first);
}

std::pair<int32_t, int64_t> AddressSpace::tensor_of(int64_t number) {
  std::lock_guard lock(mutex_);
  for (const auto& [begin, range] : numbered_)
    if (range.first <= number && number < range.first + int64_t(range.end - begin))
      return {range.memory, range.byte + number - range.first};
  return {-1, 0};
}

}  // namespace tilelab::sim
