// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/async.h"

#include <cstring>

#include "core/support/text.h"

namespace tilelab::sim {

void TileAsync::begin_block() {
  const TileImage& image = block_.image();
  rings_.resize(image.rings.size());
  for (size_t r = 0; r < rings_.size(); ++r) {
    rings_[r] = {};
    rings_[r].slots.resize(size_t(image.rings[r].stages));
  }
  matmuls_.resize(image.agents.size());
  for (auto& queue : matmuls_) queue.clear();
  stopped_.assign(image.agents.size(), {});
  in_flight_ = 0;
  completing_ = false;
  cluster_waits_ = -1;
  cluster_arrivals_ = cluster_completed_ = 0;
  barriers_.begin_block();
}

std::string TileAsync::actor_of(size_t agent) const {
  Symbol role = block_.image().agents[agent].role;
  return role && !role.str().empty() ? "role " + role.str() : "the block";
}

std::string TileAsync::slot_name(int64_t ring, int64_t slot) const {
  return "slot " + std::to_string(slot) + " of ring " +
         block_.image().rings[size_t(ring)].name.str();
}

// ---- rings

Step TileAsync::ring(int64_t ring, RingOpKind op, const Span& span, int32_t* slot) {
  stopped_[agent_] = {ring, op};
  if (!asks(ring, op, span, slot)) return Step::again;
  stopped_[agent_] = {};
  return Step::next;
}

bool TileAsync::asks(int64_t ring, RingOpKind op, const Span& span, int32_t* slot) {
  switch (op) {
    case RingOpKind::acquire: return acquire(ring, span, slot);
    case RingOpKind::wait: return wait(ring, span, slot);
    case RingOpKind::commit: return commit(ring, span), true;
    case RingOpKind::release: return release(ring, span), true;
  }
  UNREACHABLE("unknown ring operation");
}

bool TileAsync::acquire(int64_t ring, const Span& span, int32_t* slot) {
  Ring& r = rings_[size_t(ring)];
  const int64_t stages = int64_t(r.slots.size());
  if (r.acquired - r.released >= stages) {
    trace_waits(ring, RingOpKind::acquire, r.acquired);
    return false;
  }
  if (!trace_sync(ring, RingOpKind::acquire, r.acquired)) return false;
  *slot = int32_t(r.acquired++ % stages);
  Slot& s = r.slots[size_t(*slot)];
  complete(s.drains);
  poison(ring, *slot);
  s.state = SlotState::filling;
  s.owner = agent_;
  s.since = span;
  return true;
}

bool TileAsync::wait(int64_t ring, const Span& span, int32_t* slot) {
  Ring& r = rings_[size_t(ring)];
  if (r.waited >= r.committed) {
    trace_waits(ring, RingOpKind::wait, r.waited);
    return false;
  }
  if (!trace_sync(ring, RingOpKind::wait, r.waited)) return false;
  *slot = int32_t(r.waited++ % int64_t(r.slots.size()));
  Slot& s = r.slots[size_t(*slot)];
  complete(s.fills);
  s.state = SlotState::reading;
  s.owner = agent_;
  s.since = span;
  return true;
}

void TileAsync::commit(int64_t ring, const Span& span) {
  Ring& r = rings_[size_t(ring)];
  if (r.committed >= r.acquired)
    return report_order(ring, span, "commits a slot", "that is not acquired");
  trace_sync(ring, RingOpKind::commit, r.committed);
  Slot& s = r.slots[size_t(r.committed++ % int64_t(r.slots.size()))];
  check_bytes(ring, s, span);
  s.state = SlotState::full;
  s.since = span;
}

void TileAsync::release(int64_t ring, const Span& span) {
  Ring& r = rings_[size_t(ring)];
  if (r.released >= r.waited)
    return report_order(ring, span, "releases a slot", "that is not waited for");
  trace_sync(ring, RingOpKind::release, r.released);
  const int64_t number = r.released++ % int64_t(r.slots.size());
  Slot& s = r.slots[size_t(number)];
  check_released(ring, number, span);
  if (s.drains.empty()) poison(ring, number);
  s.state = SlotState::empty;
  s.owner = agent_;
  s.since = span;
}

/// A slot's copies must transfer exactly the bytes that its barrier expects.
void TileAsync::check_bytes(int64_t ring, const Slot& slot, const Span& span) {
  const int64_t wanted = block_.image().rings[size_t(ring)].bytes;
  int64_t brought = 0;
  for (const TilePending& fill : slot.fills) {
    int64_t elements = 1;
    for (const TileBox::Dim& d : fill.regions[0].box->dims) elements *= d.extent;
    brought += elements * fill.regions[0].bytes();
  }
  if (wanted > 0 && brought != wanted)
    report_order(ring, span, "commits a slot",
                 "of " + std::to_string(wanted) + " bytes, but its copies deliver " +
                     std::to_string(brought));
}

/// Reports a slot that is released while a matmul in flight still reads it.
void TileAsync::check_released(int64_t ring, int64_t slot, const Span& span) {
  for (const TilePending& matmul : matmuls_[agent_])
    for (size_t i = 1; i < matmul.regions.size(); ++i) {
      const ResolvedBox& used = matmul.regions[i];
      int64_t at = -1;
      slot_of(*used.memory, used.first(), &at);
      if (used.memory->ring != ring || at != slot) continue;
      Finding f = block_.finding(FindingKind::ring, matmul.span, used.memory, "issues a matmul");
      f.where[0].actor = actor_of(agent_);
      f.where.push_back(
          {span, actor_of(agent_), "releases " + slot_name(ring, slot) + ", which it reads"});
      f.detail = "released too early";
      return block_.report(std::move(f));
    }
}

/// Poisons a slot in all buffers of its ring.
void TileAsync::poison(int64_t ring, int64_t slot) {
  for (const TileMemory& m : block_.image().memories) {
    if (m.ring != ring || m.slot_bytes <= 0 || &block_.memory(m.root) != &m) continue;
    const int64_t at = m.at + slot * m.slot_bytes;
    if ((slot + 1) * m.slot_bytes > m.elements * elem_bytes(m.elem)) continue;
    std::memset(block_.base(m.root) + slot * m.slot_bytes, 0xFF, size_t(m.slot_bytes));
    if (block_.watch()) block_.watch()->forget_written(at, m.slot_bytes);
  }
}

void TileAsync::report_order(int64_t ring, const Span& span, const std::string& verb,
                             const std::string& detail) {
  Finding f = block_.finding(FindingKind::ring, span, nullptr,
                             verb + " of ring " + block_.image().rings[size_t(ring)].name.str());
  f.where[0].actor = actor_of(agent_);
  f.detail = detail;
  block_.report(std::move(f));
}

// ---- copies

bool TileAsync::later(TilePending& copy) {
  for (bool fills : {true, false}) {
    const ResolvedBox& s = copy.regions[fills ? 0 : 1];
    int64_t number = -1;
    Slot* slot = slot_of(*s.memory, s.first(), &number);
    if (!slot || slot->state != (fills ? SlotState::filling : SlotState::reading)) continue;
    trace_issued(copy);
    (fills ? slot->fills : slot->drains).push_back(std::move(copy));
    return true;
  }
  return false;
}

void TileAsync::complete(std::vector<TilePending>& copies) {
  completing_ = true;
  for (const TilePending& c : copies) complete(c);
  completing_ = false;
  copies.clear();
}

// ---- matmuls

void TileAsync::matmul(TilePending matmul, int64_t wait) {
  if (wait <= 0) {
    wait_matmuls(0);
    return matmul.op->complete(block_, matmul);
  }
  // Its result may be in flight: matmuls of one agent execute in order.
  for (const ResolvedBox& region : matmul.regions)
    if (!region.box->written && tracks(*region.memory))
      touch_box(region, TouchKind::read, matmul.span);
  trace_issued(matmul);
  matmuls_[agent_].push_back(std::move(matmul));
  ++in_flight_;
  wait_matmuls(wait);
}

void TileAsync::wait_matmuls(int64_t n) {
  auto& queue = matmuls_[agent_];
  while (int64_t(queue.size()) > n) {
    TilePending matmul = std::move(queue.front());
    queue.pop_front();
    --in_flight_;
    completing_ = true;
    complete(matmul);
    completing_ = false;
  }
}

void TileAsync::end_agent() {
  for (const TilePending& p : matmuls_[agent_]) {
    Finding f = block_.finding(FindingKind::pending, p.span, p.regions[0].memory,
                               "issues a matmul that is never waited for");
    f.where[0].actor = actor_of(agent_);
    block_.report(std::move(f));
  }
  in_flight_ -= int64_t(matmuls_[agent_].size());
  matmuls_[agent_].clear();
}

void TileAsync::end_block() {
  barriers_.end_block();
  for (size_t r = 0; r < rings_.size(); ++r)
    for (size_t i = 0; i < rings_[r].slots.size(); ++i) {
      Slot& s = rings_[r].slots[i];
      complete(s.drains);
      if (s.fills.empty()) continue;
      const TilePending& p = s.fills.front();
      Finding f = block_.finding(
          FindingKind::pending, p.span, p.regions[0].memory,
          "copies into " + slot_name(int64_t(r), int64_t(i)) + ", which is never waited for");
      f.where[0].actor = actor_of(s.owner);
      block_.report(std::move(f));
    }
}

// ---- accesses

TileAsync::Slot* TileAsync::slot_of(const TileMemory& m, int64_t offset, int64_t* number) {
  if (m.ring < 0 || m.slot_bytes <= 0) return nullptr;
  *number = offset * elem_bytes(m.elem) / m.slot_bytes;
  auto& slots = rings_[size_t(m.ring)].slots;
  return *number >= 0 && *number < int64_t(slots.size()) ? &slots[size_t(*number)] : nullptr;
}

bool TileAsync::wrong_slot(const TileMemory& m, int64_t offset, TouchKind kind, const Span& span,
                           const std::string& actor) {
  int64_t number = -1;
  const Slot* s = slot_of(m, offset, &number);
  if (!s) return false;
  const bool open = s->state == SlotState::filling || s->state == SlotState::reading;
  if (open && s->owner == agent_) return false;
  const std::string slot = slot_name(m.ring, number);
  const bool reads = kind == TouchKind::read;
  Finding f =
      block_.finding(FindingKind::ring, span, &m, reads ? "reads " + slot : "writes " + slot);
  f.element = element_text(m, offset);
  f.where[0].actor = actor.empty() ? actor_of(agent_) : actor;
  const char* what = s->state == SlotState::empty     ? s->since.known() ? "releases it" : ""
                     : s->state == SlotState::filling ? "acquires it"
                     : s->state == SlotState::full    ? "commits it"
                                                      : "waits for it";
  if (*what) f.where.insert(f.where.begin(), {s->since, actor_of(s->owner), what});
  f.detail = reads ? "without a wait for it" : "without acquiring it";
  block_.report(std::move(f));
  return true;
}

/// Whether the element at `offset` of `m` is in the box, through any view.
static bool holds(const ResolvedBox& box, const TileMemory& m, int64_t offset) {
  return box.memory->root == m.root &&
         position_in(box, offset * elem_bytes(m.elem) / box.bytes()).has_value();
}

void TileAsync::report_in_flight(const TilePending& p, const TileMemory& m, int64_t offset,
                                 TouchKind kind, const Span& span, const std::string& actor) {
  Finding f = block_.finding(FindingKind::pending, p.span, &m, "issues a matmul");
  f.element = element_text(m, offset);
  f.where[0].actor = actor_of(agent_);
  f.where.push_back({span, actor.empty() ? actor_of(agent_) : actor,
                     kind == TouchKind::read ? "reads its result before the wait"
                                             : "writes its operands before the wait"});
  block_.report(std::move(f));
}

bool TileAsync::touch(const TileMemory& m, int64_t offset, TouchKind kind, const Span& span,
                      const std::string& actor) {
  if (m.global >= 0) return false;
  if (wrong_slot(m, offset, kind, span, actor)) return true;
  if (in_flight_ == 0 || !block_.watch()) return false;
  for (const TilePending& p : matmuls_[agent_])
    for (size_t i = 0; i < p.regions.size(); ++i) {
      if (kind == TouchKind::read && !p.regions[i].box->written) continue;
      if (!holds(p.regions[i], m, offset)) continue;
      report_in_flight(p, m, offset, kind, span, actor);
      return true;
    }
  return false;
}

bool TileAsync::touch_box(const ResolvedBox& s, TouchKind kind, const Span& span) {
  bool wrong = false;
  for_each_run(s, [&](int64_t first, int64_t n, int64_t stride) {
    // For the ring one element per slot suffices; a matmul needs all.
    const int64_t step = in_flight_ > 0 && block_.watch() ? 1 : std::max<int64_t>(n - 1, 1);
    for (int64_t i = 0; i < n && !wrong; i += step)
      wrong = touch(*s.memory, first + i * stride, kind, span, "");
  });
  return wrong;
}

// ---- waiting agents

std::string TileAsync::waits_for(size_t agent) const {
  const Stopped& s = stopped_[agent];
  if (cluster_waits_ == int64_t(agent)) return "waits at the barrier of the cluster";
  if (barriers_.waits(agent)) return barriers_.waits_for(agent);
  if (s.ring < 0) return "waits";
  const std::string ring = block_.image().rings[size_t(s.ring)].name.str();
  return s.op == RingOpKind::acquire ? "waits for a free slot of ring " + ring
                                     : "waits for a slot of ring " + ring + " to be committed";
}

std::string TileAsync::counts() const {
  std::string text = barriers_.counts();
  for (size_t r = 0; r < rings_.size(); ++r) {
    const Ring& ring = rings_[r];
    text += (text.empty() ? "ring " : "; ring ") + block_.image().rings[r].name.str() + " of " +
            plural(int64_t(ring.slots.size()), "slot") + ": " + std::to_string(ring.acquired) +
            " acquired, " + std::to_string(ring.committed) + " committed, " +
            std::to_string(ring.waited) + " waited for, " + std::to_string(ring.released) +
            " released";
  }
  return text;
}

}  // namespace tilelab::sim
