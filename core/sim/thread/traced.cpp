// SPDX-License-Identifier: Apache-2.0
// Reports of a block of threads to a tracer: memories by the elements that users know, warps,
// accesses, barriers.
#include <algorithm>

#include "core/ir/intrinsics/intrinsics.h"
#include "core/layout/layout.h"
#include "core/sim/indices.h"
#include "core/sim/program/announce.h"
#include "core/sim/thread/block.h"
#include "core/support/extents.h"

namespace tilelab::sim {
namespace {

constexpr int64_t most_elements = int64_t{1} << 20;  // of per-thread arrays

}  // namespace

/// In the order of the image's memories; per-thread arrays after them.
std::vector<TraceMemory> Block::trace_memories() {
  std::vector<TraceMemory> out;
  for (size_t i = 0; i < image.memories.size(); ++i) {
    const MemoryInfo& m = image.memories[i];
    const LaunchContext::Memory& bound = launch.memories[i];
    TraceMemory t{m.name, m.shared ? Scope::shared : Scope::global, m.elem, false, m.shape, {}, {}};
    if (!m.shared) {
      t.base = m.addressed ? nullptr : bound.base;  // which differs between accesses
      t.shape = bound.shape;
      for (int64_t s : bound.strides) t.strides.push_back(s * elem_bytes(m.elem));
      out.push_back(std::move(t));
      continue;
    }
    t.base = arena.data();
    t.written = arena.written();
    for (int64_t s : row_major_strides(m.shape)) t.strides.push_back(s * elem_bytes(m.elem));
    if (!m.layout.known() && !m.swizzle.known()) {
      t.base += m.at;
      if (t.written) t.written += m.at;
    } else {
      std::vector<int64_t> at(m.shape.size(), 0);
      int64_t linear = 0;
      do {
        const int64_t offset = m.layout.known() ? place_of(m.layout, at).address : linear;
        t.place.push_back(swizzled(uint32_t(m.at + offset * elem_bytes(m.elem)), m.swizzle));
        ++linear;
      } while (advance(at, m.shape));
    }
    out.push_back(std::move(t));
  }
  return out;
}

std::vector<TraceAgent> Block::trace_agents() const {
  std::vector<TraceAgent> out;
  for (int w = 0; w < warps(); ++w) {
    const int64_t first = int64_t{w} * image.warp;
    TraceAgent a{"warp " + std::to_string(w),
                 first,
                 std::min<int64_t>(image.warp, image.threads - first),
                 {},
                 false,
                 "",
                 {}};
    for (const RoleInfo& r : image.roles)
      if (first >= r.lo && first < r.hi) a.name += " (role " + r.name.str() + ")";
    out.push_back(std::move(a));
  }
  return out;
}

void Block::begin_trace() {
  std::vector<TraceMemory> memories = trace_memories();
  elements_at_.assign(image.memories.size(), {});
  for (size_t i = 0; i < memories.size(); ++i)
    for (size_t e = 0; e < memories[i].place.size(); ++e)
      elements_at_[i][memories[i].place[e]] = int64_t(e);
  traced_arrays_.clear();
  for (const LocalInfo& local : image.locals) {
    TraceMemory t{local.name, Scope::local, local.elem, true, local.shape, {}, {}};
    t.shape.insert(t.shape.begin(), image.threads);
    if (t.elements() > most_elements) continue;
    const RegArray& array = image.program.arrays[size_t(local.array)];
    const int64_t n = volume(local.shape);
    t.base = warp(0).at(array.first);
    for (int thread = 0; thread < image.threads; ++thread) {
      const uint8_t* registers = warp(thread / image.warp).at(array.first);
      for (int64_t e = 0; e < n; ++e)
        t.place.push_back(registers - t.base + e * array.stride +
                          thread % image.warp * array.bytes);
    }
    traced_arrays_[local.array] = int32_t(memories.size());
    memories.push_back(std::move(t));
  }
  tracer_->begin_block(trace_agents(), std::move(memories));
}

void Block::keep_failed() {
  TraceState s{.block = coordinates, .agent = running_, .agents = trace_agents()};
  for (int w = 0; w < warps(); ++w) {
    TraceAgent& a = s.agents[size_t(w)];
    a.ended = warp(w).finished();
    a.span = warp(w).span();
    if (!a.ended) a.names = loops_around(warp(w));
    if (warp(w).waits != ThreadWarp::Wait::none) a.waits = wait_text(warp(w));
  }
  s.buffers = copies_of(trace_memories(), most_kept);
  output.failed = std::move(s);
}

void Block::trace_issued(AsyncOp& op) {
  if (!tracer_) return;
  op.tracer = tracer_.get();
  op.event = tracer_->latest();
  op.span = span(op.place);
  if (TraceEvent* event = tracer_->open()) event->late = true;
}

// ---- accesses

/// The row-major index of the element at a byte of the arena, or of a tensor; -1: none.
int64_t Block::element_of(int32_t number, int64_t address) const {
  const MemoryInfo& m = image.memories[size_t(number)];
  const int64_t size = elem_bytes(m.elem);
  if (m.shared) {
    const auto& places = elements_at_[size_t(number)];
    if (places.empty()) return (address - m.at) / size;
    auto found = places.find(address / size * size);
    return found == places.end() ? -1 : found->second;
  }
  if (m.addressed) return -1;
  const LaunchContext::Memory& bound = launch.memories[size_t(number)];
  return linear_at(address / size, bound.shape, bound.strides);
}

void Block::trace_bytes(int32_t number, int64_t address, int64_t n, bool write) {
  if (!tracer_ || !tracer_->open()) return;
  for (size_t i = 0; number < 0 && i < image.memories.size(); ++i) {
    const MemoryInfo& m = image.memories[i];
    if (!m.shared || m.of >= 0) continue;
    const int64_t at = swizzled(uint32_t(address), m.swizzle);  // an involution
    if (at >= m.at && at < m.at + m.bytes) number = int32_t(i);
  }
  if (number < 0) return;
  const int64_t size = elem_bytes(image.memories[size_t(number)].elem);
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < n; i += size) {
    const int64_t e = element_of(number, address + i);
    if (e >= 0) elements.push_back(e);
  }
  tracer_->touch(number, elements, write, false);
}

void ThreadWarp::trace_access(const Touched& t, const int64_t* address) {
  if (!block_.tracer()->open()) return;
  const int size = elem_bytes(block_.image.memories[size_t(t.memory)].elem);
  std::vector<int64_t> elements;
  for (int l = 0; l < t.lanes; ++l)
    for (int i = 0; i < t.bytes && address[l] >= 0 && mask()[l]; i += size) {
      const int64_t e = block_.element_of(t.memory, address[l] + i);
      if (e >= 0) elements.push_back(e);
    }
  block_.tracer()->touch(t.memory, elements, t.writes, t.kind == AccessKind::atomic);
}

/// Elements of the lanes' own array that are read or stored.
void ThreadWarp::trace_local(const CallSite& call) {
  const Operand& o = call.operands[0];
  const int32_t memory = block_.traced_array(o.array);
  if (memory < 0 || !block_.tracer()->open()) return;
  const RegArray& array = program().arrays[size_t(o.array)];
  std::vector<int64_t> elements;
  active_lanes().for_each([&](int lane) {
    const int64_t first = o.base + (o.regs.empty() ? 0 : integer(o.regs[0], o.elem, lane));
    for (int64_t i = first; i < first + o.extents[0]; ++i)
      if (i >= 0 && i < array.count)
        elements.push_back(int64_t(first_thread() + lane) * array.count + i);
  });
  block_.tracer()->touch(memory, elements, call.numbers[0] != 0, false);
}

// ---- barriers

TraceSync Block::barrier_sync(int32_t number, const char* verb, int64_t phase) const {
  if (!tracer_) return {};
  const std::string name = barrier_name(number);
  const bool named =
      name.compare(0, 5, "named") == 0;  // the machine's name, which includes the kind
  return {named ? name : "barrier " + name, verb, -1, phase, false};
}

/// The synchronizing instruction at which this warp waits.
TraceSync ThreadWarp::traced_rendezvous() const {
  if (!block_.tracer()) return {};
  const Instr& at = program().code[position()];
  return {name(Intrinsic(program().calls[at.extra].what)), "synchronizes at", -1, 0, false};
}

void ThreadWarp::trace_waits(TraceSync sync) {
  if (Tracer* tracer = block_.tracer()) tracer->waits(index_, std::move(sync));
}

bool ThreadWarp::trace_resumes(TraceSync sync) {
  Tracer* tracer = block_.tracer();
  return !tracer || tracer->resumes(index_, std::move(sync));
}

}  // namespace tilelab::sim
