// SPDX-License-Identifier: Apache-2.0
// The event ring after a launch: its contents may be corrupted by the device.
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "codegen/events.h"
#include "tests/unit/test.h"

namespace tilelab::test {
namespace {

using codegen::Event;
using codegen::EventRing;

/// A print of two values, the last of them an index, and an assertion with one.
codegen::RenderedKernel kernel_that_speaks() {
  codegen::RenderedKernel kernel;
  kernel.records = true;
  kernel.sites.push_back({RecordKind::print, "x", "", {DType::f32, DType::i32}, 1, {}});
  kernel.sites.push_back({RecordKind::device_assert, "small", "", {DType::f32}, 0, {}});
  return kernel;
}

std::vector<char> ring_of(const EventRing& head, const std::vector<Event>& events) {
  std::vector<char> ring(sizeof head + events.size() * sizeof(Event));
  std::memcpy(ring.data(), &head, sizeof head);
  if (!events.empty())
    std::memcpy(ring.data() + sizeof head, events.data(), events.size() * sizeof(Event));
  return ring;
}

sim::RunResult read(const std::vector<char>& ring) {
  sim::RunResult result;
  codegen::read_event_ring({ring, {4, 2, 1}, 64}, kernel_that_speaks(), result);
  return result;
}

TEST(events_that_no_statement_writes_are_damaged) {
  const Event whole{0, 0, 2, {3, 1, 0}, {63, 0, 0}, {}};
  std::vector<Event> events(10, whole);
  events[1].site = 2;        // there are two
  events[2].kind = 1;        // of a print
  events[3].count = 65535;   // of two values
  events[4].block[0] = 4;    // of 0 to 3
  events[5].thread[0] = 64;  // of 0 to 63
  events[6].thread[2] = 1;
  events[7] = {1, 1, 1, {0, 0, 0}, {0, 0, 0}, {}};
  events[8].count = 1;
  const auto result = read(ring_of({codegen::kEvents, 10, 1, 0}, events));
  EXPECT_EQ(result.damaged_records, int64_t(7));
  EXPECT_EQ(result.lost_records, int64_t(0));
  EXPECT_EQ(result.records.size(), size_t(3));
  EXPECT(result.records[1].is_assert);
}

TEST(a_damaged_head_is_not_believed) {
  const Event whole{0, 0, 2, {0, 0, 0}, {0, 0, 0}, {}};
  const auto more = read(ring_of({codegen::kEvents, 0xFFFFFFFF, 0, 0}, {whole}));
  EXPECT_EQ(more.records.size(), size_t(1));
  EXPECT_EQ(more.lost_records, int64_t(0xFFFFFFFE));
  const auto torn = read(ring_of({0xFFFFFFFF, 0xFFFFFFFF, 0, 0}, {whole}));
  EXPECT_EQ(torn.damaged_records, int64_t(1));
  EXPECT_EQ(torn.lost_records, int64_t(0));
  EXPECT_EQ(codegen::stored_events({0xFFFFFFFF, 0xFFFFFFFF, 0, 0}), codegen::kEvents);
}

TEST(random_bytes_in_the_ring) {
  std::mt19937 random(static_cast<uint32_t>(test::seed()));
  auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  bool right = true;
  for (int round = 0; round < rounds(16000); ++round) {
    std::vector<Event> events(below(20));
    for (Event& e : events) {
      e = {below(3),           uint16_t(below(3)),
           uint16_t(below(4)), {below(5), below(3), 0},
           {below(80), 0, 0},  {}};
      for (uint32_t n = below(3); n > 0; --n)
        reinterpret_cast<unsigned char*>(&e)[below(sizeof e)] =
            static_cast<unsigned char>(random());
    }
    const auto written = below(2) ? uint32_t(events.size()) : uint32_t(random());
    const EventRing head{below(8) ? codegen::kEvents : uint32_t(random()), written, 0, 0};
    const std::vector<char> ring = ring_of(head, events);
    const auto result = read(ring);
    const auto seen = std::min<size_t>(codegen::stored_events(head), events.size());
    const bool torn = head.capacity != codegen::kEvents;
    right &= result.records.size() + size_t(result.damaged_records) == seen + torn;
    right &= torn || result.lost_records == int64_t(written) - int64_t(seen);
  }
  EXPECT(right);
}

}  // namespace
}  // namespace tilelab::test
