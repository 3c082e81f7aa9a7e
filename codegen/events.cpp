// SPDX-License-Identifier: Apache-2.0
#include "codegen/events.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "core/support/check.h"
#include "core/targets/target.h"

namespace tilelab::codegen {

namespace {

/// Orders events by block and thread: the ring has them in order of arrival.
bool comes_before(const sim::Recorded& a, const sim::Recorded& b) {
  auto place = [](const sim::Recorded& r) {
    return std::array<int64_t, 4>{r.block[2], r.block[1], r.block[0], r.thread};
  };
  return place(a) < place(b);
}

/// `warp`: lanes per warp; 1 if a block is one thread, which needs no name.
sim::Finding failed_assert(const sim::Recorded& record, const RecordSite& site, int warp) {
  sim::Finding f;
  f.kind = sim::failure_of(site.what);
  f.block = record.block;
  f.where.push_back({record.span, warp > 1 ? sim::thread_name(record.thread, warp) : "",
                     site.what == RecordKind::opaque ? "calls it" : "fails"});
  f.detail = site.message;
  return f;
}

/// A site's index in the simulator, and its failed assert.
struct Site {
  int64_t number = -1;
  std::optional<size_t> finding;
  std::array<int64_t, 3> block{};  // of the latest failure
};

/// Whether the event is valid: written by a statement of the kernel in a thread of the launch.
bool is_whole(const Event& e, const WrittenRing& ring, const RenderedKernel& kernel) {
  if (e.site >= kernel.sites.size()) return false;
  const RecordSite& site = kernel.sites[e.site];
  if (e.kind != (site.what != RecordKind::print) || e.count != site.values.size()) return false;
  for (size_t d = 0; d < 3; ++d)
    if (e.block[d] >= ring.grid[d] || (d > 0 && e.thread[d] != 0)) return false;
  return e.thread[0] < ring.threads;
}

}  // namespace

uint32_t stored_events(const EventRing& head) { return std::min(head.written, kEvents); }

void open_event_ring(void* memory) {
  const EventRing empty{kEvents, 0, 0, 0};
  std::memcpy(memory, &empty, sizeof empty);
}

void read_event_ring(const WrittenRing& ring, const RenderedKernel& kernel,
                     sim::RunResult& result) {
  EventRing head;
  CHECK(ring.bytes.size() >= sizeof head);
  std::memcpy(&head, ring.bytes.data(), sizeof head);
  const std::span<const char> slots = ring.bytes.subspan(sizeof head);
  const auto stored = std::min<size_t>(stored_events(head), slots.size() / sizeof(Event));
  for (size_t i = 0; i < stored; ++i) {
    Event e;
    std::memcpy(&e, slots.data() + i * sizeof e, sizeof e);
    if (!is_whole(e, ring, kernel)) {
      ++result.damaged_records;
      continue;
    }
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
  if (head.capacity == kEvents)
    result.lost_records += head.written - int64_t(stored);
  else
    ++result.damaged_records;  // the head itself: the number is unknown
}

void read_events(const WrittenRing& ring, const Func& func, const RenderedKernel& kernel,
                 sim::RunResult& result) {
  const auto before = static_cast<ptrdiff_t>(result.records.size());
  read_event_ring(ring, kernel, result);
  std::stable_sort(result.records.begin() + before, result.records.end(), comes_before);
  const int warp = find_target(func.target)->lanes;
  std::vector<Site> sites(kernel.sites.size());
  for (auto record = result.records.begin() + before; record != result.records.end(); ++record) {
    const RecordSite& what = kernel.sites[size_t(record->site)];
    Site& site = sites[size_t(record->site)];
    if (site.number < 0)
      site.number = sim::record_number(func, what.what, what.message, what.buffer, what.span);
    record->site = site.number;
    if (!record->is_assert) continue;
    result.status = sim::RunResult::Status::stopped;
    if (!site.finding) {
      site.finding = result.findings.size();
      result.findings.push_back(failed_assert(*record, what, warp));
    } else if (record->block != site.block) {
      ++result.findings[*site.finding].count;  // blocks, as in the simulator
    }
    site.block = record->block;
  }
  const auto is_opaque = [&](const sim::Recorded& record) {  // the finding says it all
    return std::any_of(kernel.sites.begin(), kernel.sites.end(), [&](const RecordSite& site) {
      return site.what == RecordKind::opaque && site.span == record.span && record.is_assert;
    });
  };
  result.records.erase(
      std::remove_if(result.records.begin() + before, result.records.end(), is_opaque),
      result.records.end());
}

}  // namespace tilelab::codegen
