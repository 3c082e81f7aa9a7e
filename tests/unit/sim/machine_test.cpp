// SPDX-License-Identifier: Apache-2.0
// The parts of a simulated block, on schedules made manually.
#include <cstring>
#include <string>

#include "core/sim/machine/machine.h"
#include "core/sim/machine/report.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::sim;

namespace {

struct LogOp : AsyncOp {
  LogOp(std::string* log, char name) : AsyncOp(0), log(log), name(name) {}
  void read() override { *log += static_cast<char>(name - 'A' + 'a'); }
  void write() override { *log += name; }
  std::string* log;
  char name;
};

AsyncOpPtr op(std::string& log, char name) { return std::make_unique<LogOp>(&log, name); }

}  // namespace

TEST(arena_keeps_swizzled_bytes_inside) {
  const Swizzle swizzle{16, 256, 15};  // may take a byte to any place of its 256
  Arena arena;
  arena.reset(400, false);
  EXPECT(arena.inside(0, 256, swizzle) && arena.inside(0, 400));
  EXPECT(!arena.inside(0, 400, swizzle) && !arena.inside(300, 4, swizzle));
  EXPECT(arena.inside(300, 100, {}) && !arena.inside(300, 101, {}));
}

TEST(sim_arena_is_poisoned_and_knows_what_was_written) {
  Arena arena;
  arena.reset(64, true);
  EXPECT_EQ(int(arena.data()[63]), 255);
  EXPECT(arena.inside(60, 4) && !arena.inside(61, 4) && !arena.inside(-1, 1));
  EXPECT_EQ(arena.first_unwritten(8, 8), int64_t{8});
  arena.mark_written(8, 4);
  EXPECT_EQ(arena.first_unwritten(8, 8), int64_t{12});
  arena.mark_written(12, 4);
  EXPECT_EQ(arena.first_unwritten(8, 8), int64_t{-1});
}

TEST(sim_swizzle_follows_the_absolute_address) {
  Swizzle s{16, 128, 7};
  EXPECT_EQ(swizzled(0, s), 0u);
  EXPECT_EQ(swizzled(128, s), 144u);
  EXPECT_EQ(swizzled(7 * 128 + 16, s), 7u * 128 + 96);
  // 48 bytes from 120: the pieces end where a granule ends, and each is where swizzled() says.
  std::string pieces;
  for_each_piece(120, 48, s, [&](int64_t address, int64_t offset, int64_t n) {
    pieces +=
        std::to_string(address) + ":" + std::to_string(offset) + ":" + std::to_string(n) + " ";
  });
  EXPECT_EQ(pieces, std::string("120:0:8 144:8:16 128:24:16 176:40:8 "));
}

TEST(sim_barrier_counts_arrivals_and_bytes) {
  Barrier b;
  EXPECT(b.arrive() == BarrierEvent::not_ready);
  b.init(2);
  EXPECT(b.blocks(0) && !b.blocks(1));  // a fresh barrier lets parity 1 pass
  EXPECT(b.arrive() == BarrierEvent::none);
  EXPECT(b.arrive() == BarrierEvent::completed);
  EXPECT(!b.blocks(0) && b.blocks(1));
  b.expect(64);
  EXPECT(b.arrive(2) == BarrierEvent::none);  // bytes keep the phase open
  EXPECT(b.arrive() == BarrierEvent::over_arrival);
  EXPECT(b.complete(32) == BarrierEvent::none);
  EXPECT(b.complete(32) == BarrierEvent::completed);
  EXPECT(b.complete(16) == BarrierEvent::none);  // may come before they are announced
  EXPECT(b.arrive(2) == BarrierEvent::too_many_bytes);
}

TEST(sim_groups_complete_in_order_and_reads_come_first) {
  GroupFifo fifo;
  std::string log;
  fifo.issue(op(log, 'A'));
  fifo.issue(op(log, 'B'));
  fifo.commit();
  fifo.commit();  // an empty group counts
  fifo.issue(op(log, 'C'));
  fifo.commit();
  EXPECT_EQ(fifo.pending(), int64_t{3});
  fifo.wait(2);
  EXPECT_EQ(log, std::string("aAbB"));
  EXPECT_EQ(fifo.completed(), 1u);
  fifo.wait_read(0);
  EXPECT_EQ(log, std::string("aAbBc"));
  EXPECT(fifo.unread() == nullptr && fifo.unfinished() != nullptr);
  fifo.wait(0);
  EXPECT_EQ(log, std::string("aAbBcC"));
  fifo.issue(op(log, 'D'));
  EXPECT(fifo.unread() != nullptr);
  fifo.drain();
  EXPECT_EQ(log, std::string("aAbBcCdD"));
}

TEST(sim_engine_completes_in_any_order) {
  EngineQueue queue;
  std::string log;
  queue.issue(op(log, 'A'));
  queue.issue(op(log, 'B'));
  queue.run(1);
  queue.run(0);
  EXPECT_EQ(log, std::string("bBaA"));
  EXPECT(queue.empty());
}

TEST(sim_rendezvous_wants_one_place_and_equal_operands) {
  Rendezvous r;
  EXPECT(r.arrive(0, 3, 7, 1) == Rendezvous::Result::waits);
  EXPECT(r.arrive(2, 3, 7, 2) == Rendezvous::Result::differs);
  EXPECT(r.arrive(2, 3, 8, 1) == Rendezvous::Result::differs);
  EXPECT(r.arrive(2, 3, 7, 1) == Rendezvous::Result::waits);
  EXPECT(r.arrive(1, 3, 7, 1) == Rendezvous::Result::complete);
  EXPECT_EQ(r.members().size(), size_t{3});
}

TEST(sim_boxes_are_clipped_to_the_tensor) {
  // 5 columns x 3 rows of 2-byte elements with a row pitch of 12 bytes; a 4 x 2 box at (-1, 2).
  uint8_t bytes[36];
  MapView map{bytes, 36, 0, 2, 2, {5, 3}, {2, 12}, {4, 2}, {}};
  EXPECT(map_fits(map));
  std::string runs;
  for_each_run(map, {-1, 2}, {4, 2}, [&](int64_t box, int64_t global, int64_t n) {
    runs += std::to_string(box) + ":" + std::to_string(global) + ":" + std::to_string(n) + " ";
  });
  EXPECT_EQ(runs, std::string("0:-1:2 2:24:6 8:-1:8 "));
  runs.clear();
  for_each_run(map, {3, 0}, {4, 1}, [&](int64_t box, int64_t global, int64_t n) {
    runs += std::to_string(box) + ":" + std::to_string(global) + ":" + std::to_string(n) + " ";
  });
  EXPECT_EQ(runs, std::string("0:6:4 4:-1:4 "));
  map.dims[1] = 4;
  EXPECT(!map_fits(map));
}

TEST(sim_findings_have_stable_names) {
  EXPECT_EQ(std::string(finding_name(FindingKind::race)), std::string("race"));
  EXPECT_EQ(std::string(finding_name(FindingKind::assertion)), std::string("assertion"));
}
