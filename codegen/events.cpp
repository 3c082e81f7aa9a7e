// SPDX-License-Identifier: Apache-2.0
#include "codegen/events.h"

#include <algorithm>
#include <cstring>

#include "core/support/check.h"

namespace tilelab::codegen {

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

}  // namespace tilelab::codegen
