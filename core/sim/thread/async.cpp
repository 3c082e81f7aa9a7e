// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: per-thread copies (cp), the copy engine's loads (tx) and stores (bulk).
#include <algorithm>
#include <cstring>

#include "core/sim/thread/block.h"

namespace tilelab::sim {
namespace {

/// Copies of one instruction, a few bytes per lane.
class LaneCopy : public AsyncOp {
 public:
  LaneCopy(Block& block, uint32_t place) : AsyncOp(place), block(block) {}
  void write() override {
    const LaunchContext::Memory& global = block.launch.memories[size_t(src_memory)];
    for (int l = 0; l < lanes; ++l) {
      if (dst[l] < 0) continue;
      uint8_t* to = block.arena.data() + dst[l];
      if (src[l] < 0) {
        std::memset(to, 0, size_t(bytes));
      } else {
        std::memcpy(to, global.base + src[l], size_t(bytes));
      }
      if (src[l] >= 0) block.trace_bytes(src_memory, src[l], bytes, false);
      block.stored(dst_memory, place, dst[l], bytes);
    }
    if (block.races) watch();
  }
  bool fills(int64_t at) const override {
    return std::any_of(dst, dst + lanes,
                       [&](int64_t to) { return to >= 0 && to <= at && at < to + bytes; });
  }
  void watch() {
    Block::Shadow from = block.shadow(src_memory), to = block.shadow(dst_memory);
    RaceDetector::Runs writes(block.race, to.memory, actor, place, AccessKind::write);
    for (int l = 0; l < lanes; ++l) {
      if (dst[l] < 0) continue;
      if (src[l] >= 0 && from.memory >= 0)
        block.race.access(from.memory, actor, place, AccessKind::read,
                          block.shadow_byte(src_memory, src[l]), bytes);
      writes.touch(dst[l], bytes);
    }
  }
  Block& block;
  int lanes = 0, bytes = 0;
  int32_t dst_memory = 0, src_memory = 0;
  int64_t dst[max_lanes], src[max_lanes];  // -1: lane not active; source: zeros
  AsyncActor actor;
};

/// A box between global and shared memory.
class BoxOp : public AsyncOp {
 public:
  BoxOp(Block& block, uint32_t place) : AsyncOp(place), block(block) {}

  void watch_shared(AccessKind kind, const AsyncActor& as) {
    RaceDetector::Runs runs(block.race, shared_memory, as, place, kind);
    for_each_piece(address, box_bytes(map, box), swizzle,
                   [&](int64_t at, int64_t, int64_t part) { runs.touch(at, part); });
  }
  void watch_global(AccessKind kind, const AsyncActor& as) {
    Block::Shadow s = block.shadow(map.memory);
    if (s.memory < 0) return;
    RaceDetector::Runs runs(block.race, s.memory, as, place, kind);
    for_each_run(map, coords, box, [&](int64_t, int64_t global, int64_t n) {
      if (global >= 0) runs.touch(block.shadow_byte(map.memory, global), n);
    });
  }
  Block& block;
  MapView map;
  Coords coords{}, box{};
  int64_t address = 0;  // unswizzled, in the arena
  Swizzle swizzle;
  int32_t shared_memory = 0;
};

class LoadOp : public BoxOp {
 public:
  using BoxOp::BoxOp;
  bool fills(int64_t at) const override {
    bool found = false;
    for_each_piece(address, box_bytes(map, box), swizzle,
                   [&](int64_t to, int64_t, int64_t part) { found |= to <= at && at < to + part; });
    return found;
  }
  void write() override {
    uint8_t* arena = block.arena.data();
    for_each_run(map, coords, box, [&](int64_t at, int64_t global, int64_t n) {
      for_each_piece(address + at, n, swizzle, [&](int64_t to, int64_t offset, int64_t part) {
        if (global < 0) {
          std::memset(arena + to, 0, size_t(part));
        } else {
          std::memcpy(arena + to, map.base + global + offset, size_t(part));
        }
        if (global >= 0) block.trace_bytes(map.memory, global + offset, part, false);
        block.stored(-1, place, to, part, map.elem_bytes);
      });
    });
    Block::BarrierState& b = block.barrier(barrier);
    if (block.races) {
      watch_global(AccessKind::read, actor);
      watch_shared(AccessKind::write, actor);
      Knowledge done = actor.view;
      done.order.raise(actor.self, actor.clock);
      b.released.join(done);
    }
    block.barrier_event(barrier, b.barrier.complete(box_bytes(map, box)), place, "the copy engine");
  }
  int32_t barrier = 0;
  AsyncActor actor;
};

class StoreOp : public BoxOp {
 public:
  using BoxOp::BoxOp;
  void read() override {
    data.resize(size_t(box_bytes(map, box)));
    int64_t hole = -1;
    for_each_piece(address, int64_t(data.size()), swizzle,
                   [&](int64_t at, int64_t offset, int64_t n) {
                     std::memcpy(&data[size_t(offset)], block.arena.data() + at, size_t(n));
                     if (hole < 0) hole = block.arena.first_unwritten(at, n);
                   });
    if (hole >= 0) {
      Finding f = block.finding(FindingKind::uninitialized, place, "the copy engine", "reads");
      block.locate_shared(hole, f);
      block.report(std::move(f));
    }
    if (block.races) watch_shared(AccessKind::read, reads);
  }
  void write() override {
    for_each_run(map, coords, box, [&](int64_t at, int64_t global, int64_t n) {
      if (global < 0) return;
      uint8_t *to = map.base + global, *from = &data[size_t(at)];
      if (sum) {
        sum(to, to, from, nullptr, int(n / map.elem_bytes));
      } else {
        std::memcpy(to, from, size_t(n));
      }
      block.stored(map.memory, place, global, n);
    });
    if (block.races) watch_global(sum ? AccessKind::atomic : AccessKind::write, writes);
  }
  LaneFn sum = nullptr;  // of an element and what is added to it; null for a plain store
  std::vector<uint8_t> data;
  AsyncActor reads, writes;
};

}  // namespace

// ---- cp

Step ThreadWarp::cp_async(const CallSite& call) {
  const Operand &dst = call.operands[0], &src = call.operands[1], &predicate = call.operands[2];
  auto op = std::make_unique<LaneCopy>(block_, place());
  op->lanes = lanes_;
  op->bytes = elem_bytes(dst.elem) * int(dst.extents[0]);
  op->dst_memory = dst.memory;
  op->src_memory = src.memory;
  const MemoryInfo& info = block_.image.memories[size_t(dst.memory)];
  for (int l = 0; l < lanes_; ++l) {
    op->dst[l] = op->src[l] = -1;
    if (!mask()[l]) continue;
    op->dst[l] = element_address(dst, l);
    bool copies =
        predicate.form == Operand::Form::none || integer(predicate.regs[0], predicate.elem, l) != 0;
    if (copies) op->src[l] = element_address(src, l);
    if (op->dst[l] < 0 || op->dst[l] % op->bytes == 0) continue;
    Finding f = finding(FindingKind::misaligned, l, "copies to");
    f.buffer = info.name.str();
    f.detail = "byte " + std::to_string(op->dst[l]) + " for a copy of " +
               std::to_string(op->bytes) + " bytes";
    block_.report(std::move(f));
  }
  if (Meter* meter = block_.launch.meter) {
    const auto reads = AccessKind::read, writes = AccessKind::write;
    meter->access(metered({src.memory, reads, Mover::async, op->bytes, lanes_}, op->src));
    meter->access(metered({dst.memory, writes, Mover::async, op->bytes, lanes_}, op->dst));
  }
  if (block_.races) {
    op->actor.view = block_.race.issue(index_, active_lanes());
    op->actor.clock = cp_.committed() + 1;
    op->actor.self = block_.copy_actors() + ActorId(index_);
    op->actor.engine = false;
  }
  block_.trace_issued(*op);
  cp_.issue(std::move(op));
  return Step::next;
}

Step ThreadWarp::cp_wait(const CallSite& call) {
  cp_.wait(call.numbers[num_imm]);
  if (!block_.races || cp_.completed() == 0) return Step::next;
  block_.race.acquire_actor(index_, active_lanes(), block_.copy_actors() + ActorId(index_),
                            cp_.completed());
  return Step::next;
}

// ---- the copy engine

/// Address, swizzle and box of the shared side of a tensor copy; false after a finding.
bool ThreadWarp::shared_box(const Operand& o, const CallSite& call, int lane, int64_t* address,
                            Swizzle* swizzle, MapView* map, Coords* box) {
  std::string problem;
  *box = map->box;
  *swizzle = map->swizzle;
  if (o.form == Operand::Form::region) {
    const MemoryInfo& info = block_.image.memories[size_t(o.memory)];
    const BoxTable& table = block_.image.boxes[size_t(o.number)];
    int64_t offset =
        o.base +
        (o.regs[0] == no_reg ? 0 : integer(o.regs[0], o.wide ? Elem::i64 : Elem::i32, lane));
    *address = info.at + offset * elem_bytes(info.elem);
    if (!table.dense) problem = "the box is not dense in shared memory";
    if (map->box[0] == 0) {  // the instruction determines the box: innermost last in the region
      *swizzle = info.swizzle;
      for (size_t d = 0; d < max_map_rank; ++d)
        (*box)[d] = d < table.extents.size() ? table.extents[table.extents.size() - 1 - d] : 1;
    } else if (!(*swizzle == info.swizzle)) {
      problem = "the tensor map does not have the swizzle of the buffer";
    }
    if (box_bytes(*map, *box) != int64_t(table.offset.size()) * elem_bytes(info.elem))
      problem = "the region and the box of the tensor map differ in size";
  } else {
    *address = integer(o.regs[0], o.elem, lane);
    int64_t g = call.numbers[num_granule];
    if (g) *swizzle = {int32_t(g), 256, int32_t(256 / g - 1)};
    for (const Operand& extra : call.operands)
      if (extra.form == Operand::Form::none && !extra.extents.empty())
        for (size_t d = 0; d < max_map_rank; ++d)
          (*box)[d] = d < extra.extents.size() ? extra.extents[d] : 1;
  }
  for (int d = 0; d < map->rank; ++d)
    if ((*box)[size_t(d)] <= 0) problem = "the box has no extent";
  if (problem.empty() && !block_.arena.inside(*address, box_bytes(*map, *box), *swizzle))
    problem = "the box is outside shared memory";
  return problem.empty() || bad_descriptor(lane, problem);
}

/// The rows of a box that a descriptor describes start at multiples of 16 bytes; false after a
/// finding.
bool ThreadWarp::row_aligned(const MapView& map, const Coords& at, int lane) {
  const int64_t byte = at[0] * map.elem_bytes;
  return map.box[0] == 0 || byte % 16 == 0 ||
         bad_descriptor(lane, "the box starts at byte " + std::to_string(byte) +
                                  " of a row, not at a multiple of 16");
}

bool ThreadWarp::bad_descriptor(int lane, const std::string& problem) {
  Finding f = finding(FindingKind::descriptor, lane, "issues");
  f.detail = problem;
  block_.fatal(std::move(f));
  return false;
}

namespace {

Coords coordinates_of(ThreadWarp& warp, const Operand& list, int lane) {
  Coords c{};
  for (size_t d = 0; d < list.regs.size() && d < max_map_rank; ++d)
    c[d] = warp.integer(list.regs[d], list.elem, lane);
  return c;
}

}  // namespace

Step ThreadWarp::tma_load(const CallSite& call) {
  active_lanes().for_each([&](int lane) {
    if (block_.stopped()) return;
    auto op = std::make_unique<LoadOp>(block_, place());
    op->map = block_.launch.maps[size_t(call.operands[1].number)];
    if (!shared_box(call.operands[0], call, lane, &op->address, &op->swizzle, &op->map, &op->box))
      return;
    op->coords = coordinates_of(*this, call.operands[2], lane);
    if (!row_aligned(op->map, op->coords, lane)) return;
    if (block_.launch.meter) meter_box(call.operands[0], op->map, op->coords, op->box, true);
    op->barrier = barrier_number(call.operands[3], lane);
    op->shared_memory = block_.arena_shadow();
    if (!block_.barrier(op->barrier).barrier.ready())
      return block_.barrier_event(op->barrier, BarrierEvent::not_ready, place(), thread_name(lane));
    if (!block_.barrier(op->barrier).fenced) {
      Finding f = finding(FindingKind::fence, lane, "passes it to a copy engine");
      f.buffer = block_.barrier_name(op->barrier);
      f.where.insert(f.where.begin(), {block_.span(block_.barrier(op->barrier).init_place), "",
                                       "initializes it, without an init_fence after it"});
      block_.report(std::move(f));
    }
    if (block_.races) {
      block_.touch_barrier(op->barrier, index_, LaneMask::one(lane), place(), AccessKind::read);
      op->actor.view = block_.race.issue(index_, LaneMask::one(lane));
      op->actor.self =
          block_.engine_actor(&op->actor.clock, "the load issued by " + thread_name(lane));
      op->actor.since = op->actor.clock;
    }
    block_.trace_issued(*op);
    block_.engine.issue(std::move(op));
  });
  return block_.stopped() ? Step::halt : Step::next;
}

Step ThreadWarp::tma_store(const CallSite& call) {
  active_lanes().for_each([&](int lane) {
    if (block_.stopped()) return;
    auto op = std::make_unique<StoreOp>(block_, place());
    op->map = block_.launch.maps[size_t(call.operands[0].number)];
    if (!shared_box(call.operands[2], call, lane, &op->address, &op->swizzle, &op->map, &op->box))
      return;
    if (Intrinsic(call.what) == Intrinsic::tma_add)
      op->sum = lane_fn(LaneOp::add, block_.image.memories[size_t(op->map.memory)].elem);
    op->coords = coordinates_of(*this, call.operands[1], lane);
    if (!row_aligned(op->map, op->coords, lane)) return;
    if (block_.launch.meter) meter_box(call.operands[2], op->map, op->coords, op->box, false);
    op->shared_memory = block_.arena_shadow();
    BulkQueue& queue = block_.bulk_queue(first_thread() + lane);
    if (block_.races) {
      op->reads.view = block_.race.issue(index_, LaneMask::one(lane));
      op->reads.self = queue.reads;
      op->reads.clock = queue.fifo.committed() + 1;
      op->writes = op->reads;
      op->writes.self = queue.writes;
    }
    block_.trace_issued(*op);
    queue.fifo.issue(std::move(op));
  });
  return block_.stopped() ? Step::halt : Step::next;
}

Step ThreadWarp::bulk(const CallSite& call) {
  const Intrinsic what = Intrinsic(call.what);
  active_lanes().for_each([&](int lane) {
    BulkQueue& queue = block_.bulk_queue(first_thread() + lane);
    if (what == Intrinsic::bulk_commit) {
      queue.fifo.commit();
      if (block_.early()) queue.fifo.wait(0);
      return;
    }
    int64_t n = call.numbers[num_imm];
    int64_t done = int64_t(queue.fifo.committed()) - n;
    if (what == Intrinsic::bulk_wait_read) {
      queue.fifo.wait_read(n);
    } else {
      queue.fifo.wait(n);
    }
    if (!block_.races || done <= 0) return;
    block_.race.acquire_actor(index_, LaneMask::one(lane), queue.reads, uint32_t(done));
    if (what == Intrinsic::bulk_wait)
      block_.race.acquire_actor(index_, LaneMask::one(lane), queue.writes, uint32_t(done));
  });
  return Step::next;
}

}  // namespace tilelab::sim
