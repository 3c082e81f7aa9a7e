// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/barriers.h"

#include <cstring>

#include "core/sim/tile/async.h"
#include "core/support/text.h"

namespace tilelab::sim {

void TileBarriers::begin_block() {
  const TileImage& image = block_.image();
  states_.resize(size_t(image.barrier_count));
  for (State& s : states_) s.copies.clear();
  for (const TileBarrierArray& array : image.barriers)
    for (int32_t i = 0; i < array.n; ++i)
      states_[size_t(array.first + i)].barrier.init(array.count);
  waiting_.assign(image.agents.size(), {});
}

const TileBarrierArray& TileBarriers::array_of(int32_t number) const {
  const auto& arrays = block_.image().barriers;
  size_t a = 0;
  while (number >= arrays[a].first + arrays[a].n) ++a;
  return arrays[a];
}

std::string TileBarriers::name(int32_t number) const {
  const TileBarrierArray& array = array_of(number);
  return array.name.str() +
         (array.n > 1 ? "[" + std::to_string(number - array.first) + "]" : std::string());
}

static int64_t bytes_of(const TilePending& copy) {
  int64_t n = copy.regions[0].bytes();
  for (const TileBox::Dim& d : copy.regions[0].box->dims) n *= d.extent;
  return n;
}

void TileBarriers::complete_copies(State& state) {
  if (!completes(state)) return;
  int64_t bytes = 0;
  for (const TilePending& copy : state.copies) bytes += bytes_of(copy);
  block_.async().complete(state.copies);
  state.barrier.complete(bytes);
  block_.moved();
}

void TileBarriers::arrive(int32_t number, int64_t n, size_t agent, const Span& span) {
  State& s = states_[size_t(number)];
  complete_copies(s);
  block_.moved();
  trace_sync(number, "arrives at", s.barrier.phase(), agent);
  if (s.barrier.arrive(int32_t(n)) != BarrierEvent::over_arrival) return;
  Finding f =
      block_.finding(FindingKind::over_arrival, span, nullptr, "arrives at " + name(number));
  f.where[0].actor = block_.async().actor_of(agent);
  f.detail = "with " + plural(n, "arrival") + ", but the phase expects " +
             std::to_string(s.barrier.count()) + " and is missing " +
             std::to_string(s.barrier.pending());
  block_.report(std::move(f));
}

Step TileBarriers::wait(int32_t number, int64_t parity, size_t agent) {
  State& s = states_[size_t(number)];
  if (s.barrier.blocks(parity) && completes(s)) {
    if (!trace_sync(number, "waits for", parity & 1, agent)) return Step::halt;
    complete_copies(s);
  }
  if (s.barrier.blocks(parity)) {
    waiting_[agent] = {number, parity};
    trace_waits(number, parity, agent);
    return Step::again;
  }
  if (!trace_sync(number, "waits for", parity & 1, agent)) return Step::halt;
  waiting_[agent] = {};
  return Step::next;
}

Step TileBarriers::sync(int32_t number, int64_t n, size_t agent, const Span& span) {
  const Barrier& b = states_[size_t(number)].barrier;
  Waiting& w = waiting_[agent];
  if (w.number < 0) {
    const bool fits = b.pending() >= n;
    const int64_t phases = b.completed();
    arrive(number, n, agent, span);
    if (!fits) return Step::next;  // reported
    w = {number, b.phase(), phases};
  }
  if (b.completed() == w.phases) {
    trace_waits(number, w.parity, agent);
    return Step::again;
  }
  if (!trace_sync(number, "waits for", w.parity & 1, agent)) return Step::halt;
  w = {};
  return Step::next;
}

void TileBarriers::copy(int32_t number, TilePending copy) {
  State& s = states_[size_t(number)];
  complete_copies(s);
  const ResolvedBox& to = copy.regions[0];
  for_each_run(to, [&](int64_t first, int64_t n, int64_t stride) {
    for (int64_t i = 0; i < n; ++i)
      std::memset(to.base + (first + i * stride) * to.bytes(), 0xFF, size_t(to.bytes()));
  });
  s.barrier.expect(bytes_of(copy));
  block_.async().trace_issued(copy);
  s.copies.push_back(std::move(copy));
}

const TilePending* TileBarriers::filling(int64_t at) const {
  for (const State& s : states_)
    for (const TilePending& copy : s.copies) {
      const ResolvedBox& to = copy.regions[0];
      const int64_t offset = (at - to.memory->at) / to.bytes();
      bool found = false;
      for_each_run(to, [&](int64_t first, int64_t n, int64_t stride) {
        const int64_t i = (offset - first) / stride;
        found |= offset >= first && i < n && first + i * stride == offset;
      });
      if (found && at >= to.memory->at) return &copy;
    }
  return nullptr;
}

void TileBarriers::end_block() {
  for (size_t b = 0; b < states_.size(); ++b) {
    State& s = states_[b];
    complete_copies(s);
    if (s.copies.empty()) continue;
    const TilePending& copy = s.copies.front();
    block_.report(
        block_.finding(FindingKind::pending, copy.span, copy.regions[0].memory,
                       "issues a copy whose bytes are never waited for at " + name(int32_t(b))));
  }
}

std::string TileBarriers::waits_for(size_t agent) const {
  const Waiting& w = waiting_[agent];
  if (w.phases >= 0) return "waits at " + name(w.number);
  return "waits for " + name(w.number) + ", parity " + std::to_string(w.parity & 1);
}

std::string TileBarriers::counts() const {
  std::vector<std::string> parts;
  std::vector<bool> reported(states_.size());
  for (const Waiting& w : waiting_) {
    if (w.number < 0 || reported[size_t(w.number)]) continue;
    reported[size_t(w.number)] = true;
    const Barrier& b = states_[size_t(w.number)].barrier;
    if (w.phases >= 0) {
      parts.push_back(name(w.number) + " misses " + std::to_string(b.pending()) + " of " +
                      plural(b.count(), "thread"));
      continue;
    }
    std::string text = name(w.number) + " is in its phase of parity " + std::to_string(b.phase()) +
                       " and is missing " + std::to_string(b.pending()) + " of " +
                       plural(b.count(), "arrival");
    if (b.bytes() != 0) text += " and " + plural(b.bytes(), "byte");
    parts.push_back(std::move(text));
  }
  return join(parts, "; ");
}

std::vector<FindingSide> TileBarriers::arrivals(size_t agent,
                                                FunctionRef<std::string(size_t)> state) const {
  std::vector<FindingSide> out;
  const TileBarrierArray& array = array_of(waiting_[agent].number);
  for (const TileBarrierArray::Arrival& site : array.arrivals)
    out.push_back({site.span, block_.async().actor_of(site.agent),
                   "would arrive at " + array.name.str() + " here, and " + state(site.agent)});
  return out;
}

}  // namespace tilelab::sim
