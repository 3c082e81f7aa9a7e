// SPDX-License-Identifier: Apache-2.0
#include "core/sim/machine/machine.h"

#include <algorithm>
#include <cstring>

#include "core/support/check.h"

namespace tilelab::sim {

// ---- arena

void Arena::reset(int64_t bytes, bool watch) {
  size_ = bytes;
  bytes_.assign(size_t(bytes), 0xFF);
  written_.assign(watch ? size_t(bytes) : 0, 0);
}

void Arena::mark_written(int64_t address, int64_t n) {
  if (!written_.empty()) std::memset(&written_[address], 1, size_t(n));
}

int64_t Arena::first_unwritten(int64_t address, int64_t n) const {
  if (written_.empty() || n == 0) return -1;
  const void* hole = std::memchr(&written_[address], 0, size_t(n));
  return hole ? static_cast<const uint8_t*>(hole) - written_.data() : -1;
}

void for_each_piece(int64_t address, int64_t n, const Swizzle& swizzle,
                    FunctionRef<void(int64_t, int64_t, int64_t)> piece) {
  if (!swizzle.known()) return piece(address, 0, n);
  const int64_t g = swizzle.granule;
  for (int64_t done = 0; done < n;) {
    int64_t x = address + done;
    int64_t part = std::min(n - done, g - x % g);
    piece(swizzled(uint32_t(x), swizzle), done, part);
    done += part;
  }
}

// ---- barriers

void Barrier::init(int32_t count) {
  count_ = pending_ = count;
  phase_ = 0;
  bytes_ = completed_ = 0;
  ready_ = true;
}

BarrierEvent Barrier::end_phase() {
  if (pending_ != 0) return BarrierEvent::none;
  if (bytes_ < 0) {
    bytes_ = 0;  // reported; continue as if they had been announced
    next_phase();
    return BarrierEvent::too_many_bytes;
  }
  if (bytes_ != 0) return BarrierEvent::none;
  next_phase();
  return BarrierEvent::completed;
}

BarrierEvent Barrier::arrive(int32_t n) {
  if (!ready_) return BarrierEvent::not_ready;
  if (pending_ < n) {
    // Bytes may keep a phase open after its last arrival; a further arrival is an error.
    return BarrierEvent::over_arrival;
  }
  pending_ -= n;
  return end_phase();
}

BarrierEvent Barrier::expect(int64_t n) {
  if (!ready_) return BarrierEvent::not_ready;
  bytes_ += n;
  return BarrierEvent::none;
}

BarrierEvent Barrier::complete(int64_t n) {
  if (!ready_) return BarrierEvent::not_ready;
  bytes_ -= n;
  return end_phase();
}

// ---- groups and engines

void AsyncOp::complete() {
  if (tracer) tracer->completes(event, span);
  write();
  if (tracer) tracer->completed();
}

void GroupFifo::commit() {
  closed_.push_back({std::move(open_), false});
  open_.clear();
  ++committed_;
}

void GroupFifo::read(Group& group) {
  if (group.was_read) return;
  for (AsyncOpPtr& op : group.ops) op->read();
  group.was_read = true;
}

void GroupFifo::write(Group& group) {
  if (group.was_read) {
    for (AsyncOpPtr& op : group.ops) op->complete();
    return;
  }
  // Operations of one group run in order: a chain of matrix instructions accumulates.
  for (AsyncOpPtr& op : group.ops) op->read(), op->complete();
}

void GroupFifo::wait(int64_t n) {
  while (pending() > std::max<int64_t>(n, 0)) {
    Group group = std::move(closed_.front());
    closed_.pop_front();
    write(group);
  }
}

void GroupFifo::wait_read(int64_t n) {
  for (int64_t i = 0; i < pending() - std::max<int64_t>(n, 0); ++i) read(closed_[i]);
}

void GroupFifo::drain() {
  if (!open_.empty()) commit();
  wait(0);
}

const AsyncOp* GroupFifo::unread() const {
  for (const Group& group : closed_)
    if (!group.was_read && !group.ops.empty()) return group.ops.front().get();
  return open_.empty() ? nullptr : open_.front().get();
}

const AsyncOp* GroupFifo::unfinished() const {
  for (const Group& group : closed_)
    if (!group.ops.empty()) return group.ops.front().get();
  return open_.empty() ? nullptr : open_.front().get();
}

/// One of `ops` that will fill the byte.
template <class Ops> static const AsyncOp* filling_of(const Ops& ops, int64_t address) {
  const auto found =
      std::find_if(ops.begin(), ops.end(), [&](const auto& op) { return op->fills(address); });
  return found == ops.end() ? nullptr : found->get();
}

const AsyncOp* GroupFifo::filling(int64_t address) const {
  for (const Group& group : closed_)
    if (const AsyncOp* op = filling_of(group.ops, address)) return op;
  return filling_of(open_, address);
}

const AsyncOp* EngineQueue::filling(int64_t address) const { return filling_of(ops_, address); }

void EngineQueue::run(size_t i) {
  CHECK(i < ops_.size());
  AsyncOpPtr op = std::move(ops_[i]);
  ops_.erase(ops_.begin() + static_cast<std::ptrdiff_t>(i));
  op->read();
  op->complete();
}

// ---- rendezvous

Rendezvous::Result Rendezvous::arrive(int32_t who, int32_t expected, uint32_t place,
                                      uint64_t operands) {
  if (members_.empty()) {
    place_ = place;
    operands_ = operands;
    expected_ = expected;
  } else if (place != place_ || operands != operands_) {
    return Result::differs;
  }
  members_.push_back(who);
  return arrived() == expected ? Result::complete : Result::waits;
}

uint64_t Random::next() {  // splitmix64
  uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace tilelab::sim
