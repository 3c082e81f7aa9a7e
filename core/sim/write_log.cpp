// SPDX-License-Identifier: Apache-2.0
#include "core/sim/write_log.h"

#include <cstring>

namespace tilelab::sim {

void WriteLog::begin_launch() {
  seen.resize(watched.size());
  ++launch_;
}

void WriteLog::begin_block(int64_t number, const std::array<int64_t, 3>& place) {
  block_ = number;
  place_ = place;
}

void WriteLog::add(size_t number, LoggedWrite write) {
  SeenWrites& s = seen[number];
  write.launch = launch_, write.number = block_, write.block = place_;
  ++s.count;
  s.last.push_back(std::move(write));
  if (s.last.size() > kept_writes) s.last.pop_front();
}

void WriteLog::wrote(const Span& span, Symbol buffer, DType dtype, bool global, int64_t byte,
                     const uint8_t* values, int64_t n, int bytes, int64_t origin) {
  const uint64_t key = uint64_t{span.file} << 48 ^ uint64_t { span.line } << 16 ^ span.col;
  std::vector<size_t>& candidates = of_place_[key];
  WrittenBy* by = nullptr;
  for (size_t i : candidates)
    if (written[i].buffer == buffer && written[i].global == global) by = &written[i];
  if (!by) {
    candidates.push_back(written.size());
    written.push_back({span, buffer, dtype, global, {}, {}});
    by = &written.back();
  }
  if (by->visits.empty() || by->visits.back().when != now_) by->visits.push_back({now_, 0});
  uint64_t& together = by->visits.back().hash;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t value = 0;
    std::memcpy(&value, values + i * bytes, size_t(bytes));
    WrittenBy::Cell& cell = by->cells[byte + i * bytes];
    ++cell.count;
    cell.hash = (cell.hash ^ value) * 0x9E3779B97F4A7C15u;
    cell.hash ^= cell.hash >> 29;
    cell.last = value;
    const uint64_t both =
        (value + 1) * 0xD6E8FEB86659FD93u + static_cast<uint64_t>(byte + i * bytes - origin);
    together += (both ^ both >> 32) * 0x9E3779B97F4A7C15u;
  }
}

}  // namespace tilelab::sim
