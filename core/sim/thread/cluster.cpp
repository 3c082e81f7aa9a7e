// SPDX-License-Identifier: Apache-2.0
#include "core/sim/thread/cluster.h"

#include <algorithm>
#include <cstring>

#include "core/sim/thread/block.h"

namespace tilelab::sim {

void Cluster::leave(const Block* block) {
  std::replace(members_.begin(), members_.end(), const_cast<Block*>(block),
               static_cast<Block*>(nullptr));
}

void Cluster::advance() {
  for (const Block* member : members_)
    if (member && !member->arrived(completed_)) return;
  ++completed_;
  for (Block* member : members_)
    if (member) member->end_phase();
}

void Clusters::join(Block& block, int64_t i, int64_t number) {
  if (all_.empty() || i % size_ == 0) all_.emplace_back(number);
  all_.back().add(&block);
  block.join(&all_.back(), all_.back().size() - 1);
}

void Clusters::check(const std::vector<Block*>& going) {
  const bool idle = size_ > 1 && !going.empty() &&
                    std::all_of(going.begin(), going.end(), [](Block* b) { return b->idle(); });
  idle_ = idle ? idle_ + 1 : 0;
  if (idle_ > 1) going.front()->give_up();
}

// ---- blocks

void Block::join(Cluster* cluster, int64_t rank) {
  part_ = {};
  part_.cluster = cluster, part_.rank = rank;
}

void Block::leave_cluster() {
  if (part_.cluster) part_.cluster->leave(this);
  part_.cluster = nullptr;
}

bool Block::arrived(int64_t completed) const {
  return std::all_of(warps_.begin(), warps_.end(), [&](const auto& warp) {
    return warp->finished() || warp->cluster_arrivals() > completed;
  });
}

void Block::end_phase() {
  has_changed();
  part_.before = std::exchange(part_.known, std::exchange(part_.released, {}));
}

bool Block::waits_for_cluster() const {
  return std::any_of(warps_.begin(), warps_.end(), [](const auto& warp) {
    return warp->waits == ThreadWarp::Wait::cluster && !warp->finished();
  });
}

/// The actor of block `rank`, for its accesses to this block's memory.
ActorId Block::cluster_actor(int64_t rank) {
  if (part_.actors.empty()) part_.actors.assign(size_t(part_.cluster->size()), no_actor);
  ActorId& actor = part_.actors[size_t(rank)];
  if (actor == no_actor) {
    actor = race.add_actor(true);
    name_actor(actor, "block " + std::to_string(rank) + " of the cluster");
  }
  return actor;
}

int64_t Block::published(int64_t rank) const {
  return size_t(rank) < part_.published.size() ? part_.published[size_t(rank)] : 0;
}

void Block::stored_by_peer(int64_t rank, std::pair<int64_t, int64_t> phases, uint32_t place,
                           int64_t address, int64_t n) {
  has_changed();
  if (uint8_t* marks = arena.written()) std::memset(marks + address, 1, size_t(n));
  if (!races) return;
  const auto [arrivals, waits] = phases;
  AsyncActor by;
  by.view = waits == part_.cluster->completed() ? part_.known : part_.before;
  for (int64_t other = 0; other < part_.cluster->size(); ++other)
    if (other != part_.rank)
      by.view.order.raise(cluster_actor(other), uint32_t(std::min(published(other), waits)));
  by.self = cluster_actor(rank), by.clock = uint32_t(arrivals + 1), by.engine = false;
  race.access(arena_shadow_, by, place, AccessKind::write, address, n);
}

// ---- warps

/// Publishes the accesses of this warp's lanes to the other blocks.
void ThreadWarp::publish_to_cluster() {
  ClusterPart& part = block_.part();
  block_.race.release(index_, active_lanes(), part.released);
  for (int64_t rank = 0; rank < part.cluster->size(); ++rank)
    if (Block* other = part.cluster->member(rank)) other->publish(part.rank, cluster_arrivals_);
  if (block_.launch.order)
    block_.launch.order->access(block_.output.block, block_.race, index_, active_lanes(),
                                part.cluster->place_of(cluster_arrivals_), {false, true, true});
}

/// The lanes are ordered after the accesses that all blocks have published.
void ThreadWarp::acquire_from_cluster() {
  ClusterPart& part = block_.part();
  Knowledge view = part.known;
  for (int64_t rank = 0; rank < part.cluster->size(); ++rank)
    if (rank != part.rank)
      view.order.raise(block_.cluster_actor(rank),
                       uint32_t(std::min(block_.published(rank), cluster_waits_)));
  block_.race.acquire(index_, active_lanes(), view);
  if (block_.launch.order)
    block_.launch.order->access(block_.output.block, block_.race, index_, active_lanes(),
                                part.cluster->place_of(cluster_waits_), {true, false, true});
}

Step ThreadWarp::cluster_barrier(const CallSite& call) {
  const Intrinsic what = Intrinsic(call.what);
  Cluster& cluster = *block_.part().cluster;
  const bool arrives = what != Intrinsic::cluster_wait && !in_cluster_wait_;
  if (arrives && !whole_warp(name(what))) return Step::halt;
  if (arrives) {
    if (cluster_arrivals_ > cluster_waits_) return misused_cluster("arrives again before its wait");
    ++cluster_arrivals_;
    if (block_.races && !call.numbers[num_relaxed]) publish_to_cluster();
    cluster.advance();
    block_.has_changed();
    if (what == Intrinsic::cluster_arrive) return Step::next;
  }
  if (cluster_waits_ == cluster_arrivals_) return misused_cluster("waits without an arrival");
  if (cluster.completed() < cluster_arrivals_) {
    waits = Wait::cluster, in_cluster_wait_ = true;
    return Step::again;
  }
  in_cluster_wait_ = false;
  ++cluster_waits_;
  if (block_.races) acquire_from_cluster();
  return Step::next;
}

/// The block to which a lane stores; null after a finding.
Block* ThreadWarp::peer_of(const CallSite& call, int lane) {
  const Operand& o = call.operands[2];
  const int64_t rank = integer(o.regs[0], o.elem, lane);
  const Cluster& cluster = *block_.part().cluster;
  const bool exists = rank >= 0 && rank < cluster.size();
  Block* peer = exists ? cluster.member(rank) : nullptr;
  if (peer && !peer->arrived(INT64_MAX)) return peer;
  Finding f = finding(FindingKind::cluster, lane, "writes to another block");
  f.detail = exists ? "block " + std::to_string(rank) + " of the cluster has ended"
                    : "rank " + std::to_string(rank) + " is not in [0, " +
                          std::to_string(cluster.size()) + ")";
  block_.report(std::move(f));
  return nullptr;
}

Step ThreadWarp::cluster_store(const CallSite& call) {
  const Operand &ref = call.operands[0], &value = call.operands[1];
  const int bytes = elem_bytes(ref.elem), width = int(ref.extents[0]);
  active_lanes().for_each([&](int lane) {
    const int64_t address = element_address(ref, lane);
    Block* peer = address < 0 ? nullptr : peer_of(call, lane);
    if (!peer) return;
    for (int k = 0; k < width; ++k)
      std::memcpy(peer->arena.data() + address + k * bytes,
                  at(value.regs[size_t(k)]) + lane * bytes, size_t(bytes));
    if (peer != &block_)
      peer->stored_by_peer(block_.part().rank, {cluster_arrivals_, cluster_waits_}, place(),
                           address, int64_t{width} * bytes);
    else
      stored_to_own(ref.memory, lane, address, width * bytes);
  });
  return Step::next;
}

void ThreadWarp::stored_to_own(int32_t memory, int lane, int64_t address, int bytes) {
  int64_t all[max_lanes];
  std::fill(all, all + lanes_, int64_t{-1});
  all[lane] = address;
  touched({memory, AccessKind::write, Mover::threads, bytes, lanes_}, all);
  block_.has_changed();
}

Step ThreadWarp::misused_cluster(const char* verb) {
  Finding f = finding(FindingKind::cluster, first_active(), verb);
  f.detail = "each thread arrives once, then waits once";
  block_.fatal(std::move(f));
  return Step::halt;
}

}  // namespace tilelab::sim
