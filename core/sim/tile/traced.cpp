// SPDX-License-Identifier: Apache-2.0
// Reports of a tile-level block to a tracer: memories, agents, statements, accesses, rings.
#include <algorithm>

#include "core/sim/indices.h"
#include "core/sim/program/announce.h"
#include "core/sim/tile/async.h"

namespace tilelab::sim {
namespace {

const char* verb_of(RingOpKind op) {
  switch (op) {
    case RingOpKind::acquire: return "acquires";
    case RingOpKind::commit: return "commits";
    case RingOpKind::wait: return "waits for";
    case RingOpKind::release: return "releases";
  }
  UNREACHABLE("unknown ring operation");
}

}  // namespace

std::vector<TraceMemory> TileBlock::trace_memories() const {
  std::vector<TraceMemory> out;
  for (size_t i = 0; i < image_.memories.size(); ++i) {
    const TileMemory& m = image_.memories[i];
    TraceMemory t{m.name, m.scope, m.elem, m.copies > 1, m.shape, {}, {}, bases_[i], nullptr};
    for (int64_t stride : m.strides) t.strides.push_back(stride * elem_bytes(m.elem));
    if (m.copies > 1) {
      t.shape.insert(t.shape.begin(), m.copies);
      t.strides.insert(t.strides.begin(), m.elements * elem_bytes(m.elem));
    }
    if (watch_ && watch_->uninitialized() && m.global < 0) t.written = watch_->marks(m.at);
    out.push_back(std::move(t));
  }
  return out;
}

std::vector<TraceAgent> TileBlock::trace_agents() const {
  std::vector<TraceAgent> out;
  for (size_t a = 0; a < image_.agents.size(); ++a) {
    const TileAgent& agent = image_.agents[a];
    out.push_back({async_->actor_of(a), agent.lo, agent.hi - agent.lo, {}, false, "", {}});
  }
  return out;
}

/// The state of the machine at the first finding of the run.
void TileBlock::report(Finding f) {
  if (!result.failed && !tracer_) keep_failed();
  result.add(number_, std::move(f));
}

void TileBlock::keep_failed() {
  TraceState s{.block = block_, .agent = async_->agent(), .agents = trace_agents()};
  for (size_t a = 0; a < agents_.size(); ++a) {
    s.agents[a].ended = agents_[a]->finished();
    s.agents[a].span = agents_[a]->span();
    if (!s.agents[a].ended) s.agents[a].names = loops_around(*agents_[a]);
    if (!s.agents[a].ended && async_->waits(a)) s.agents[a].waits = async_->waits_for(a);
  }
  s.buffers = copies_of(trace_memories(), most_kept);
  result.failed = std::move(s);
  result.failed_block = number_;
}

namespace {

class TileTrace : public TileObserver {
 public:
  explicit TileTrace(TileBlock& block) : block_(block) {}

  bool accessed_as_run(const LaneAccess&, int64_t) override { return !block_.tracer()->open(); }
  void accessed(const LaneAccess& a) override {
    if (!block_.tracer()->open()) return;
    std::vector<int64_t> elements;
    for (int64_t l = 0; l < a.lanes; ++l)
      if (a.touches(l))
        elements.push_back(a.memory.per_lane
                               ? a.offsets[l]
                               : linear_at(a.offsets[l], a.memory.shape, a.memory.strides));
    const bool atomic = a.kind == TouchKind::atomic;
    block_.tracer()->touch(a.access.memory, elements, a.access.writes, atomic);
  }
  void before(const BoxOperation& op) override {
    const bool first = op.rule == BoxRule::multiply || op.rule == BoxRule::update;
    if (first) trace_box(block_, op.target, op.overwrites);
    for (const BoxSource& source : op.sources) trace_box(block_, *source.box, false);
    if (!first) trace_box(block_, op.target, op.overwrites);
  }

 private:
  TileBlock& block_;
};

}  // namespace

Observer trace_accesses(TileBlock& block) { return std::make_unique<TileTrace>(block); }

void trace_box(TileBlock& block, const ResolvedBox& s, bool overwrites, bool late) {
  Tracer& tracer = *block.tracer();
  if (!tracer.open()) return;
  std::vector<int64_t> extent;
  for (const TileBox::Dim& d : s.box->dims) extent.push_back(d.extent);
  if (s.box->atomic)
    tracer.touch_box(s.number, s.lo, extent, true, true, late);
  else if (s.box->read && !overwrites)
    tracer.touch_box(s.number, s.lo, extent, false, false, late);
  if (s.box->written && !s.box->atomic) tracer.touch_box(s.number, s.lo, extent, true, false, late);
}

// ---- rings and delayed effects

static TraceSync sync_of(const TileImage& image, int64_t ring, RingOpKind op, int64_t count) {
  const TileRing& r = image.rings[size_t(ring)];
  return {"ring " + r.name.str(), verb_of(op), count % r.stages, count / r.stages, false};
}

bool TileAsync::trace_sync(int64_t ring, RingOpKind op, int64_t count) {
  Tracer* tracer = block_.tracer();
  if (!tracer) return true;
  if (tracer->resumes(int64_t(agent_), sync_of(block_.image(), ring, op, count))) return true;
  block_.halt();
  return false;
}

void TileAsync::trace_waits(int64_t ring, RingOpKind op, int64_t count) {
  if (Tracer* tracer = block_.tracer())
    tracer->waits(int64_t(agent_), sync_of(block_.image(), ring, op, count));
}

std::string TileBarriers::traced_name(int32_t number) const {
  return array_of(number).named ? name(number) : "barrier " + name(number);
}

bool TileBarriers::trace_sync(int32_t number, const char* verb, int64_t phase, size_t agent) {
  Tracer* tracer = block_.tracer();
  if (!tracer) return true;
  if (tracer->resumes(int64_t(agent), {traced_name(number), verb, -1, phase, false})) return true;
  block_.halt();
  return false;
}

void TileBarriers::trace_waits(int32_t number, int64_t parity, size_t agent) {
  if (Tracer* tracer = block_.tracer())
    tracer->waits(int64_t(agent), {traced_name(number), "waits for", -1, parity & 1, false});
}

void TileAsync::trace_issued(TilePending& late) {
  Tracer* tracer = block_.tracer();
  if (!tracer) return;
  late.event = tracer->latest();
  if (tracer->open()) tracer->open()->late = true;
  for (const ResolvedBox& region : late.regions) trace_box(block_, region, false, true);
}

void TileAsync::complete(const TilePending& late) {
  Tracer* tracer = block_.tracer();
  if (tracer) tracer->completes(late.event, late.span);
  late.op->complete(block_, late);
  if (tracer) tracer->completed();
}

}  // namespace tilelab::sim
