// SPDX-License-Identifier: Apache-2.0
// Findings of a block: names of actors, elements of addresses, races.
#include <algorithm>
#include <tuple>

#include "core/layout/layout.h"
#include "core/sim/indices.h"
#include "core/sim/thread/block.h"
#include "core/support/text.h"

namespace tilelab::sim {

std::string Block::thread_name(int thread) const { return sim::thread_name(thread, image.warp); }

std::string ThreadWarp::thread_name(int lane) const {
  return block_.thread_name(first_thread() + lane);
}

Finding ThreadWarp::finding(FindingKind kind, int lane, const std::string& verb) const {
  return block_.finding(kind, place(), thread_name(lane), verb);
}

std::string Block::actor_name(ActorId actor) const {
  if (actor < ActorId(image.threads)) return thread_name(int(actor));
  if (actor < ActorId(image.threads + warps()))
    return "each lane of warp " + std::to_string(actor - ActorId(image.threads));
  auto it = actor_names_.find(actor);
  return it == actor_names_.end() ? "an engine" : it->second;
}

Finding Block::finding(FindingKind kind, uint32_t place, const std::string& actor,
                       const std::string& verb) const {
  Finding f{.kind = kind, .block = coordinates};
  f.where.push_back({span(place), actor, verb});
  return f;
}

/// Findings with the same kind and locations are merged and counted.
void Block::report(Finding f) {
  if (!output.failed && !tracer_) keep_failed();
  std::string key = std::to_string(int(f.kind)) + f.buffer;
  for (const FindingSide& a : f.where)
    key += "|" + std::to_string(a.span.file) + ":" + std::to_string(a.span.line) + ":" +
           std::to_string(a.span.col) + a.verb;
  auto [it, fresh] = finding_of_.try_emplace(key, output.findings.size());
  if (fresh) {
    output.findings.push_back(std::move(f));
  } else {
    output.findings[it->second].count += f.count;
  }
}

namespace {

/// The flat element if an extent is dynamic.
std::vector<int64_t> row_major_index(int64_t linear, const std::vector<int64_t>& shape) {
  const bool known = std::all_of(shape.begin(), shape.end(), [](int64_t n) { return n > 0; });
  return known ? index_of(linear, shape) : std::vector<int64_t>{linear};
}

/// Byte `x` of the arena before the swizzle that put it there (an involution on each line).
int64_t unswizzled(int64_t x, const Swizzle& s) { return s.known() ? swizzled(uint32_t(x), s) : x; }

}  // namespace

std::string element_text(const MemoryInfo& memory, int64_t byte) {
  return index_text(row_major_index(byte / elem_bytes(memory.elem), memory.shape));
}

void Block::merge_into(std::vector<std::unique_ptr<GridRaces>>& grid, GridOrder& order) const {
  order.end(output.block, race);
  for (size_t m = 0; m < shadow_owner_.size(); ++m) {
    int32_t owner = shadow_owner_[m];
    if (owner >= 0 && grid[size_t(owner)])
      grid[size_t(owner)]->merge(output.block, race, int32_t(m), order);
  }
}

/// The buffer and element at an address. If shared buffers overlap there, the first declared is
/// named.
void Block::locate(int32_t race_memory, int64_t address, Finding& f) const {
  int32_t owner = shadow_owner_[size_t(race_memory)];
  if (owner == -1) {
    f.buffer = barrier_name(int32_t(address / 4));
    return;
  }
  if (owner >= 0) {
    if (image.addressed) std::tie(owner, address) = launch.space->tensor_of(address);
    const MemoryInfo& m = image.memories[size_t(owner)];
    f.buffer = m.name.str();
    f.element = element_text(m, address);
    return;
  }
  locate_shared(address, f);
}

void Block::locate_shared(int64_t address, Finding& f) const {
  f.element = "byte " + std::to_string(address);
  for (const MemoryInfo& m : image.memories) {
    int64_t plain = unswizzled(address, m.swizzle);
    if (!m.shared || m.of >= 0 || plain < m.at || plain >= m.at + m.bytes) continue;
    f.buffer = m.name.str();
    int64_t element = (plain - m.at) / elem_bytes(m.elem);
    if (!m.layout.known()) {
      f.element = index_text(row_major_index(element, m.shape));
    } else if (auto found = elements_at_address(m.layout, element); !found.empty()) {
      f.element = index_text(found.front());
    }
    return;
  }
}

/// Adds the line that declares the finding's buffer.
void Block::declare(Finding& f) const {
  for (const MemoryInfo& m : image.memories)
    if (m.name == Symbol(f.buffer) && m.declared.known()) {
      f.related.push_back(declaration(m.declared, f.buffer, m.shape));
      return;
    }
}

void Block::name_buffer(const CheckSite& site, Finding& f) const {
  if (site.memory >= 0) {
    const MemoryInfo& m = image.memories[size_t(site.memory)];
    f.buffer = m.holds.str();
    if (m.declared.known()) f.related.push_back(declaration(m.declared, f.buffer, m.shape));
  } else if (site.array >= 0) {
    const auto& arrays = image.program.arrays;
    const Symbol named = arrays[size_t(site.array)].holds;
    const auto known = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const RegArray& array) { return array.name == named; });
    const RegArray& a = known == arrays.end() ? arrays[size_t(site.array)] : *known;
    f.buffer = named.str();
    if (a.declared.known())
      f.related.push_back(
          {a.declared, "",
           "declares " + f.buffer + ", " + plural(a.count, "element") + " in each thread"});
  }
}

const AsyncOp* Block::filling(int64_t address) const {
  for (const auto& warp : warps_)
    if (const AsyncOp* op = warp->cp_.filling(address)) return op;
  return engine.filling(address);
}

void Block::locate_unwritten(int32_t memory, int64_t address, Finding& f) {
  const MemoryInfo& m = image.memories[size_t(memory)];
  name_buffer({memory}, f);
  if (m.shared)
    locate_shared(address, f);
  else
    f.element = element_text(m, address);
  f.buffer = m.holds.str();
  if (const AsyncOp* copy = m.shared ? filling(address) : nullptr) {
    f.kind = FindingKind::pending;
    reported_pending_.insert(copy->place);
    f.where.push_back({span(copy->place), "", "copies into it and is still in flight"});
  } else if (uint32_t writer = writers_[size_t(memory)])
    f.related.push_back({span(writer), "", "writes a part of " + f.buffer});
}

void Block::report_races() {
  for (const RaceHit& h : race.hits()) {
    Finding f{.kind = h.proxy ? FindingKind::proxy : FindingKind::race,
              .block = coordinates,
              .count = h.count};
    auto side = [&](const RaceHit::Side& s) {
      const char* verb = s.kind == AccessKind::read    ? "reads"
                         : s.kind == AccessKind::write ? "writes"
                                                       : "updates";
      if (shadow_owner_[size_t(h.memory)] == -1)
        verb = s.kind == AccessKind::write ? "initialises" : "uses";
      f.where.push_back({span(s.place), actor_name(s.actor), verb});
    };
    side(h.first);
    side(h.second);
    locate(h.memory, h.address, f);
    declare(f);
    report(std::move(f));
  }
}

}  // namespace tilelab::sim
