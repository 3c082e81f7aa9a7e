// SPDX-License-Identifier: Apache-2.0
// The execution of a block: setup, scheduling, and diagnosis when no warp can run.
#include "core/sim/thread/block.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tilelab::sim {

Block::Block(const LaunchContext& l, bool traced) : launch(l), image(*l.image) {
  int n = (image.threads + image.warp - 1) / image.warp;
  if (launch.trace && traced) tracer_ = std::make_unique<Tracer>(*launch.trace);
  for (int w = 0; w < n; ++w) {
    warps_.push_back(std::make_unique<ThreadWarp>(*this, w));
    if (launch.watch.races) warps_.back()->max_iterations = kMaxIterations;
  }
}

void Block::begin(int64_t linear) {
  output = {};
  output.block = linear;
  coordinates = {linear % launch.grid[0], linear / launch.grid[0] % launch.grid[1],
                 linear / launch.grid[0] / launch.grid[1]};
  arena.reset(image.smem, launch.watch.uninitialized);
  engine.clear();
  barriers_.assign(size_t(image.barrier_count), {});
  for (const BarrierInfo& b : image.barriers)
    if (b.named) barriers_[size_t(b.first)].barrier.init(b.count);
  barrier_ids_.clear();
  reserved_ = 0;
  rendezvous_.assign(1 + image.roles.size() + size_t(groups()) + image.parts.size(), {});
  matrix_.clear();
  matrix_.resize(size_t(groups()));
  bulk_.clear();
  actor_names_.clear();
  engine_slots_.clear();
  next_slot_ = 0;
  copy_actors_ = no_actor;
  atomics_.clear();
  finding_of_.clear();
  stopped_ = false;
  races = launch.watch.races;
  shadows_.assign(image.memories.size(), {});
  located_.assign(image.memories.size(), {});
  writers_.assign(image.memories.size(), 0);
  random = Random(launch.seed + uint64_t(linear) * 77);
  if (races) bind_shadows();
  for (auto& w : warps_) {
    w->begin();
    fill_inputs(*w);
  }
  order_.resize(warps_.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (launch.seed == 1) std::reverse(order_.begin(), order_.end());
  if (tracer_) begin_trace();
  if (launch.log) launch.log->begin_block(linear, coordinates);
  if (launch.meter) launch.meter->begin_block(linear);
}

/// Read-only memories cannot race; two arguments that share bytes share their shadow.
void Block::bind_shadows() {
  race.reset(image.threads, image.warp, image.proxies);
  shadow_owner_.clear();
  arena_shadow_ =
      race.add_memory(std::max<int64_t>(image.smem, 1), std::min(image.shared_granule, 16));
  shadow_owner_.push_back(-2);
  barrier_shadow_ = race.add_memory(int64_t{1} << 16, 4);
  shadow_owner_.push_back(-1);
  for (size_t i = 0; i < image.memories.size(); ++i) {
    if (image.memories[i].shared) {
      shadows_[i] = {arena_shadow_, 0};
      continue;
    }
    const LaunchContext::Memory& m = launch.memories[i];
    if (m.same_as >= 0 && size_t(m.same_as) < i) {
      shadows_[i] = {shadows_[size_t(m.same_as)].memory, m.offset, image.addressed};
      continue;
    }
    bool written = image.memories[i].written;
    for (size_t k = i + 1; k < image.memories.size(); ++k)
      written |= launch.memories[k].same_as == int32_t(i) && image.memories[k].written;
    if (!written) continue;
    shadows_[i] = {race.add_memory(image.addressed ? 1 : m.bytes, m.granule), 0, image.addressed};
    shadow_owner_.push_back(int32_t(i));
  }
}

void Block::fill_inputs(ThreadWarp& warp) {
  const Program& p = image.program;
  const size_t n = size_t(p.lanes);
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    const Input& in = p.inputs[i];
    uint8_t* to = warp.at(in.reg);
    const std::string& name = in.name.str();
    int64_t value = -1;
    for (size_t d = 0; d < image.indices.size() && d < 3; ++d)
      if (image.indices[d] == in.name) value = coordinates[d];
    if (value >= 0) {
      broadcast(to, &value, elem_bytes(in.elem), n);
    } else if (name == "tid" || name == "lane") {
      iota(to, in.elem, name == "tid" ? warp.first_thread() : 0, 1, n);
    } else if (name == "warp") {
      int64_t w = warp.index();
      broadcast(to, &w, elem_bytes(in.elem), n);
    } else {
      broadcast(to, &launch.inputs[i], elem_bytes(in.elem), n);
    }
  }
}

void Block::logged(int32_t memory, uint32_t place, int64_t address, int64_t n, int bytes) const {
  if (memory < 0)
    return log()->wrote(span(place), Symbol(), DType::u8, false, address, arena.data() + address,
                        n / bytes, bytes);
  const MemoryInfo& m = image.memories[size_t(memory)];
  const uint8_t* base = m.shared ? arena.data() : launch.memories[size_t(memory)].base;
  const int one = elem_bytes(m.elem);
  log()->wrote(span(place), m.name, m.elem, !m.shared, address, base + address, n / one, one);
}

void Block::stored(int32_t memory, uint32_t place, int64_t address, int64_t n, int bytes) {
  if (uint8_t* marks = memory < 0 ? arena.written() : written(memory))
    std::memset(marks + address, 1, size_t(n));
  trace_bytes(memory, address, n, true);
  if (log()) logged(memory, place, address, n, bytes);
}

// ---- scheduling

bool Block::end() {
  for (auto& w : warps_) lane_results += w->lane_results;
  if (interrupted()) return false;
  if (!stopped_) check_left_over();
  if (tracer_) tracer_->end();
  if (interrupted()) return false;
  if (races) report_races();
  return true;
}

bool Block::ready(ThreadWarp& w) {
  if (w.finished()) return false;
  if (w.waits == ThreadWarp::Wait::rendezvous) return false;
  if (w.waits == ThreadWarp::Wait::cluster) {
    part_.cluster->advance();  // a block that has ended does not arrive
    return part_.cluster->completed() >= w.cluster_arrivals();
  }
  if (w.waits == ThreadWarp::Wait::barrier && barrier(w.barrier).barrier.blocks(w.parity))
    return false;
  if (w.waits == ThreadWarp::Wait::named && barrier(w.barrier).barrier.completed() == w.parity)
    return false;
  return true;
}

/// False if interrupted.
bool Block::run_warp(ThreadWarp& w) {
  w.waits = ThreadWarp::Wait::none;
  int64_t budget = launch.seed ? int64_t(1 + random.below(48)) : 1 << 20;
  if (launch.seed == kInterleaved) budget = 1;
  running_ = w.index();
  w.run(budget, launch.interrupt);
  running_ = -1;
  return !interrupted();
}

/// The default schedule runs each warp as far as possible, in order; the engine runs when no warp
/// can. A seeded one picks warps at random (the first one: last to first) for short times and lets
/// the engine run in between; kInterleaved takes them in order, one access each.
bool Block::run_slice() {
  const uint64_t before = changes_;
  const bool on = run_ready_warps();
  idle_ = on && changes_ == before && std::all_of(warps_.begin(), warps_.end(), [&](const auto& w) {
            return !ready(*w) || w->spins() || w->waits_on();
          });
  if (idle_ && !engine.empty()) {
    engine.run(0);
    idle_ = false;
  }
  return on;
}

void Block::count_waits() {
  waited_.clear();
  for (const auto& w : warps_) waited_.push_back(w->waited());
}

bool Block::surely_idle() {
  constexpr int64_t kIterations = 2;
  for (size_t i = 0; i < warps_.size(); ++i)
    if (ready(*warps_[i]) && warps_[i]->waits_on() &&
        warps_[i]->waited() < waited_.at(i) + kIterations)
      return false;
  return idle_;
}

void Block::give_up() {
  if (waits_for_cluster()) return stuck();
  for (auto& w : warps_) w->give_up();
}

bool Block::run_ready_warps() {
  bool progress = false, all_done = true;
  if (launch.seed > kInterleaved)
    for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  for (int i : order_) {
    if (stopped_) return false;
    for (; early() && !engine.empty(); progress = true) engine.run(0);
    if (launch.seed && !engine.empty() && random.below(4) == 0) {
      engine.run(random.below(engine.size()));
      progress = true;
    }
    ThreadWarp& w = *warps_[size_t(i)];
    all_done &= w.finished();
    if (!ready(w)) continue;
    progress = true;
    if (!run_warp(w)) return false;
  }
  if (stopped_ || all_done) return false;
  if (progress) return true;
  if (engine.empty() && waits_for_cluster()) return true;
  if (engine.empty()) {
    stuck();
    return false;
  }
  engine.run(launch.seed ? random.below(engine.size()) : 0);
  return true;
}

void Block::release(const Rendezvous& r) {
  std::vector<int32_t> members = r.members();
  // A barrier in a spin loop completes in each iteration.
  if (!std::all_of(members.begin(), members.end(), [&](int32_t m) { return warp(m).waits_on(); }))
    has_changed();
  const Instr& at = image.program.code[r.place()];
  const Intrinsic what = Intrinsic(image.program.calls[at.extra].what);
  bool orders = what == Intrinsic::block_sync || is_part_barrier(what);
  for (int32_t m : members) {
    ThreadWarp& w = warp(m);
    w.released_ = w.waits == ThreadWarp::Wait::rendezvous;
    w.waits = ThreadWarp::Wait::none;
  }
  if (races && orders) race.sync(members);
  const_cast<Rendezvous&>(r).reset();
}

// ---- when nothing can run

std::string Block::wait_text(const ThreadWarp& w) const {
  if (w.waits == ThreadWarp::Wait::barrier)
    return "waits for " + barrier_name(w.barrier) + ", parity " + std::to_string(w.parity & 1);
  if (w.waits == ThreadWarp::Wait::named) return "waits at " + barrier_name(w.barrier);
  if (w.waits == ThreadWarp::Wait::cluster) return "waits at the barrier of the cluster";
  const Instr& at = image.program.code[w.position()];
  const Rendezvous& r = rendezvous_[size_t(w.rendezvous)];
  return "waits at " + std::string(name(Intrinsic(image.program.calls[at.extra].what))) + " with " +
         std::to_string(r.arrived()) + " of " + std::to_string(r.expected()) + " warps";
}

void Block::stuck() {
  // A rendezvous whose missing warps have exited can never complete: that is divergence.
  bool divergence = false;
  for (auto& w : warps_) {
    if (w->finished() || w->waits != ThreadWarp::Wait::rendezvous) continue;
    for (auto& other : warps_) divergence |= other->finished() && other->role() == w->role();
    if (w->rendezvous == 0)
      for (auto& other : warps_) divergence |= other->finished();
  }
  Finding f{.kind = divergence ? FindingKind::divergence : FindingKind::deadlock,
            .block = coordinates};
  std::vector<std::string> seen;
  for (auto& w : warps_) {
    if (w->finished()) continue;
    FindingSide a{span(w->place()), "warp " + std::to_string(w->index()), wait_text(*w)};
    bool repeated = false;
    for (FindingSide& known : f.where)
      if (known.span == a.span && known.verb == a.verb) {
        known.actor += ", " + std::to_string(w->index());
        repeated = true;
      }
    if (!repeated) f.where.push_back(std::move(a));
  }
  named_arrivals(f);
  int ended = 0;
  for (auto& w : warps_) ended += w->finished();
  f.detail = std::to_string(ended) + " of " + std::to_string(warps()) + " warps have ended";
  for (size_t b = 0; b < barriers_.size(); ++b) {
    const Barrier& x = barriers_[b].barrier;
    if (x.ready() && (x.pending() != x.count() || x.bytes() != 0))
      f.detail += "; " + barrier_name(int32_t(b)) + " misses " + std::to_string(x.pending()) +
                  " arrivals and " + std::to_string(x.bytes()) + " bytes";
  }
  fatal(std::move(f));
}

void Block::pending(const AsyncOp* op, const std::string& what) {
  if (!op || reported_pending_.count(op->place)) return;
  Finding f = finding(FindingKind::pending, op->place, what, "is never waited for");
  f.detail = "shared memory ends with the block";
  report(std::move(f));
}

void Block::check_left_over() {
  for (auto& w : warps_)
    pending(w->cp_.unfinished(), "a copy of warp " + std::to_string(w->index()));
  for (size_t g = 0; g < matrix_.size(); ++g)
    pending(matrix_[g].fifo.unfinished(), "a matrix operation of group " + std::to_string(g));
  for (auto& [thread, queue] : bulk_) {
    if (interrupted()) return;
    pending(queue.fifo.unread(), "a store issued by " + thread_name(thread));
    queue.fifo.drain();
  }
  if (!engine.empty()) pending(&engine.at(0), "a load");
  while (!engine.empty() && !interrupted()) engine.run(0);
}

// ---- barriers

int32_t Block::barrier_of_id(int64_t id) {
  auto [it, fresh] = barrier_ids_.try_emplace(id, int32_t(barriers_.size()));
  if (fresh) barriers_.emplace_back();
  return it->second;
}

int32_t Block::barrier_with(int64_t id) {
  if (image.flat) return barrier_of_id(id);
  for (const BarrierInfo& b : image.barriers)
    if (!b.named && b.id >= 0 && id >= b.id && id < b.id + b.n) return int32_t(b.first + id - b.id);
  return -1;
}

void Block::fence_barriers(int32_t warp) {
  for (BarrierState& b : barriers_) b.fenced |= b.init_warp == warp;
}

std::string Block::barrier_name(int32_t number) const {
  for (const BarrierInfo& b : image.barriers)
    if (number >= b.first && number < b.first + b.n)
      return b.named ? b.name.str() : b.name.str() + "[" + std::to_string(number - b.first) + "]";
  for (auto& [id, n] : barrier_ids_)
    if (n == number) return "barrier " + std::to_string(id);
  return "a barrier";
}

void Block::touch_barrier(int32_t number, int warp, const LaneMask& lanes, uint32_t place,
                          AccessKind kind) {
  if (!races) return;
  int64_t address[128];
  lanes.for_each([&](int l) { address[l] = int64_t{number} * 4; });
  race.access(barrier_shadow_, warp, lanes, place, kind, address, 4);
}

void Block::barrier_event(int32_t number, BarrierEvent event, uint32_t place,
                          const std::string& actor) {
  BarrierState& b = barrier(number);
  FindingKind kind = FindingKind::over_arrival;
  switch (event) {
    case BarrierEvent::none: return;
    case BarrierEvent::completed: b.completed = b.released; return;
    case BarrierEvent::over_arrival: break;
    case BarrierEvent::too_many_bytes:
      b.completed = b.released;
      kind = FindingKind::barrier_bytes;
      break;
    case BarrierEvent::not_ready: kind = FindingKind::barrier_init; break;
  }
  Finding f =
      finding(kind, place, actor, kind == FindingKind::barrier_init ? "uses" : "arrives at");
  f.buffer = barrier_name(number);
  if (kind == FindingKind::over_arrival)
    f.detail = "the phase expects " + std::to_string(b.barrier.count()) + " arrivals";
  if (kind == FindingKind::barrier_bytes) f.detail = "more bytes than bar_expect announced";
  if (kind == FindingKind::barrier_init) {
    fatal(std::move(f));
  } else {
    report(std::move(f));
  }
}

BulkQueue& Block::bulk_queue(int thread) {
  auto [it, fresh] = bulk_.try_emplace(thread);
  if (fresh && races) {
    it->second.reads = race.add_actor();
    it->second.writes = race.add_actor();
    name_actor(it->second.reads, "the store issued by " + thread_name(thread));
    name_actor(it->second.writes, "the store issued by " + thread_name(thread));
  }
  return it->second;
}

/// Engine operations rotate over a few actors; an actor is reused long after its operation has
/// completed.
ActorId Block::engine_actor(uint32_t* clock, const std::string& text) {
  constexpr size_t slots = 64;
  if (engine_slots_.size() < slots) {
    engine_slots_.push_back({race.add_actor(), 0});
    next_slot_ = engine_slots_.size() - 1;
  } else {
    next_slot_ = (next_slot_ + 1) % slots;
  }
  auto& [actor, count] = engine_slots_[next_slot_];
  *clock = ++count;
  name_actor(actor, text);
  return actor;
}

ActorId Block::copy_actors() {
  if (copy_actors_ == no_actor)
    for (int w = 0; w < warps(); ++w) {
      ActorId a = race.add_actor(true);
      if (w == 0) copy_actors_ = a;
      name_actor(a, "a copy issued by warp " + std::to_string(w));
    }
  return copy_actors_;
}

}  // namespace tilelab::sim
