// SPDX-License-Identifier: Apache-2.0
#include "codegen/events.h"

#include <algorithm>
#include <cstring>

#include "core/support/check.h"

namespace tilelab::codegen {

namespace {

sim::Finding failed_assert(const sim::Recorded& record, const std::string& message) {
  sim::Finding f;
  f.kind = sim::FindingKind::assertion;
  f.block = record.block;
  f.where.push_back({record.span, "", "fails"});
  f.detail = message;
  return f;
}

}  // namespace

void open_event_ring(void* memory) {
  const EventRing empty{kEvents, 0, 0, 0};
  std::memcpy(memory, &empty, sizeof empty);
}

void read_event_ring(const void* memory, const RenderedKernel& kernel, sim::RunResult& result) {
  EventRing ring;
  std::memcpy(&ring, memory, sizeof ring);
  const char* slots = static_cast<const char*>(memory) + sizeof ring;
  const uint32_t stored = std::min(ring.written, ring.capacity);
  for (uint32_t i = 0; i < stored; ++i) {
    Event e;
    std::memcpy(&e, slots + i * sizeof e, sizeof e);
    CHECK(e.site < kernel.sites.size() && e.count <= kEventValues);
    const RecordSite& site = kernel.sites[e.site];
    sim::Recorded record;
    record.site = e.site;
    record.is_assert = e.kind == 1;
    record.block = {e.block[0], e.block[1], e.block[2]};
    record.thread = e.thread[0];
    record.span = site.span;
    record.index_count = site.index_count;
    if (record.is_assert) {  // the condition comes first; it is not among the event's values
      record.dtypes.push_back(static_cast<uint8_t>(DType::bool_));
      record.values.push_back(0);
    }
    for (uint16_t v = 0; v < e.count; ++v) {
      record.dtypes.push_back(static_cast<uint8_t>(site.values[v]));
      record.values.push_back(e.value[v]);
    }
    result.records.push_back(std::move(record));
  }
  result.lost_records += ring.written - stored;
}

void read_events(const void* ring, const Func& func, const RenderedKernel& kernel,
                 sim::RunResult& result) {
  const size_t before = result.records.size();
  read_event_ring(ring, kernel, result);
  std::vector<int64_t> numbers(kernel.sites.size(), -1);
  for (size_t i = before; i < result.records.size(); ++i) {
    sim::Recorded& record = result.records[i];
    const RecordSite& site = kernel.sites[size_t(record.site)];
    int64_t& number = numbers[size_t(record.site)];
    if (record.is_assert && number < 0) {
      result.findings.push_back(failed_assert(record, site.message));
      result.status = sim::RunResult::Status::stopped;
    }
    if (number < 0)
      number = sim::record_number(func, site.what, site.message, site.buffer, site.span);
    record.site = number;
  }
}

}  // namespace tilelab::codegen
