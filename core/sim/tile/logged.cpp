// SPDX-License-Identifier: Apache-2.0
// Reports of a tile-level block to a WriteLog: element accesses by lane, boxes as a whole.
#include "core/sim/write_log.h"

#include <cstring>

#include "core/sim/indices.h"
#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {
namespace {

const char* scope_text(Scope scope) {
  return scope == Scope::global ? "global" : scope == Scope::shared ? "shared" : "fragment";
}

uint64_t bits_at(const uint8_t* base, int64_t offset, int64_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, base + offset * bytes, size_t(bytes));
  return bits;
}

class TileLog : public TileObserver {
 public:
  TileLog(TileBlock& block, WriteLog& log) : block_(block), log_(log) {}

  void begin_block() override { log_.begin_block(block_.number(), block_.place()); }
  void begin_chunk(TileRunner& lanes) override {
    std::erase_if(loaded_, [&](const auto& entry) { return entry.second.who == &lanes; });
  }
  void accessed(const LaneAccess& a) override;
  void stored(const LaneAccess& a) override;
  void before(const BoxOperation& op) override;
  void after(const BoxOperation& op) override;

 private:
  /// What the active lanes of a runner have loaded by an access in the latest chunk.
  struct Loaded {
    const TileRunner* who = nullptr;
    const TileMemory* memory = nullptr;
    std::vector<uint8_t> known, outside;  // by lane
    std::vector<int64_t> offsets;
    std::vector<uint64_t> values;
  };
  static int64_t begin_of(const TileMemory& m) { return m.global >= 0 ? 0 : m.at; }
  /// Calls f(number, offset) for each watched element of a memory.
  template <class F> void each_watched(const TileMemory& m, int64_t copies, F f) const {
    const int64_t bytes = elem_bytes(m.elem);
    log_.for_watched(
        m.global >= 0 ? m.name : Symbol(), begin_of(m), m.elements * copies * bytes,
        [&](size_t number) { f(number, (log_.watched[number].place.byte - begin_of(m)) / bytes); });
  }
  LoggedValue value(const TileMemory& m, int64_t offset, uint64_t bits) const;
  LoggedValue operand(const ResolvedBox& region, const Position& at, const char* role) const;
  MemoryPlace place(const TileMemory& m, int64_t offset) const;
  void add_operands(const LaneAccess& a, int64_t lane, LoggedWrite& write) const;
  void wrote(const Span& span, const TileMemory& m, int64_t offset, const uint8_t* base, int64_t n);

  TileBlock& block_;
  WriteLog& log_;
  std::unordered_map<int64_t, Loaded> loaded_;              // by index of the access
  std::vector<std::pair<size_t, LoggedWrite>> box_writes_;  // of the operation, to watched elements
};

MemoryPlace TileLog::place(const TileMemory& m, int64_t offset) const {
  const int64_t byte = offset * elem_bytes(m.elem);
  if (m.global >= 0) return {m.name, byte};
  return {Symbol(), m.at + byte, log_.this_launch(), log_.this_block()};
}

LoggedValue TileLog::value(const TileMemory& m, int64_t offset, uint64_t bits) const {
  LoggedValue v;
  v.buffer = m.name, v.scope = scope_text(m.scope);
  v.element = element_text(m, m.per_lane ? offset % m.elements : offset);
  v.place = place(m, offset), v.dtype = m.elem, v.bits = bits;
  return v;
}

/// Logs `n` contiguous elements that the statement at `span` wrote.
void TileLog::wrote(const Span& span, const TileMemory& m, int64_t offset, const uint8_t* base,
                    int64_t n) {
  const int64_t bytes = elem_bytes(m.elem);
  log_.wrote(span, m.name, m.elem, m.global >= 0, place(m, offset).byte, base + offset * bytes, n,
             int(bytes), begin_of(m));
}

// ---- boxes

LoggedValue TileLog::operand(const ResolvedBox& region, const Position& at,
                             const char* role) const {
  const TileMemory& m = *region.memory;
  int64_t offset = 0;
  Position index = at;
  for (size_t d = 0; d < at.size(); ++d) offset += (index[d] += region.lo[d]) * m.strides[d];
  const bool outside = !offset_of(region, at);
  LoggedValue v = value(m, offset, outside ? m.safe : bits_at(region.base, offset, region.bytes()));
  v.element = index_text(index), v.outside = outside, v.role = role;
  return v;
}

/// Reads the operands of watched elements; those of several sources alternate.
void TileLog::before(const BoxOperation& op) {
  box_writes_.clear();
  each_watched(*op.target.memory, 1, [&](size_t number, int64_t offset) {
    const std::optional<Position> at = position_in(op.target, offset);
    if (!at) return;
    LoggedWrite write;
    write.span = op.span, write.how = op.name;
    write.to = value(*op.target.memory, offset, 0);
    if (!op.overwrites)
      write.of.push_back(operand(op.target, *at, op.rule == BoxRule::multiply ? "c" : "old"));
    std::vector<std::vector<LoggedValue>> of;
    for (const BoxSource& source : op.sources) {
      auto& list = of.emplace_back();
      each_position(source.part(*at), [&](const Position& from) {
        list.push_back(operand(*source.box, from, source.role));
        return true;
      });
    }
    for (size_t i = 0; !of.empty() && i < of[0].size(); ++i)
      for (auto& list : of) write.of.push_back(std::move(list[i]));
    box_writes_.push_back({number, std::move(write)});
  });
}

void TileLog::after(const BoxOperation& op) {
  const int64_t now = log_.next();
  const TileMemory& m = *op.target.memory;
  for (auto& [number, write] : box_writes_) {
    const int64_t byte = log_.watched[number].place.byte - begin_of(m);
    write.when = now;
    write.to.bits = bits_at(op.target.base, byte / op.target.bytes(), op.target.bytes());
    log_.add(number, std::move(write));
  }
  if (!log_.wants_statements()) return;
  for_each_run(op.target, [&](int64_t offset, int64_t n, int64_t stride) {
    const int64_t together = stride == 1 ? n : 1;
    for (int64_t i = 0; i < n; i += together)
      wrote(op.span, m, offset + i * stride, op.target.base, together);
  });
}

// ---- lanes

void TileLog::accessed(const LaneAccess& a) {
  if (a.kind != TouchKind::read) return;
  Loaded& to = loaded_[a.id];
  const size_t n = size_t(a.runner.lane_count());
  if (to.who != &a.runner || to.known.size() != n)
    to = {&a.runner,
          &a.memory,
          std::vector<uint8_t>(n),
          std::vector<uint8_t>(n),
          std::vector<int64_t>(n),
          std::vector<uint64_t>(n)};
  for (size_t l = 0; l < size_t(a.lanes); ++l) {
    if (!a.mask[l]) continue;
    to.known[l] = 1, to.outside[l] = a.outside[l], to.offsets[l] = a.offsets[l];
    to.values[l] = bits_at(a.value, int64_t(l), a.bytes());
  }
}

/// The loads on which the value of an access depends in a lane.
void TileLog::add_operands(const LaneAccess& a, int64_t lane, LoggedWrite& write) const {
  for (int32_t use : a.access.uses) {
    const auto found = loaded_.find(use);
    if (found == loaded_.end()) continue;
    const Loaded& of = found->second;
    size_t l = of.who == &a.runner ? size_t(lane) : 0;
    while (of.who != &a.runner && l + 1 < of.known.size() && !of.known[l]) ++l;
    if (!of.known[l]) continue;
    LoggedValue v = value(*of.memory, of.offsets[l], of.values[l]);
    if (of.outside[l]) v.element = "[...]", v.outside = true;
    write.of.push_back(std::move(v));
  }
}

void TileLog::stored(const LaneAccess& a) {
  if (a.atomic && !operation_of(*a.atomic)) return;
  const Span& span = a.runner.span();
  each_watched(a.memory, a.memory.per_lane ? a.runner.lane_count() : 1,
               [&](size_t number, int64_t offset) {
                 for (int64_t l = 0; l < a.lanes; ++l) {
                   if (!a.touches(l) || a.offsets[l] != offset) continue;
                   LoggedWrite write;
                   write.when = log_.next_number(), write.span = span;
                   write.how = a.atomic ? "atomic" : "store";
                   write.actor = a.runner.actor_of_lane(l);
                   write.to = value(a.memory, offset, bits_at(a.base, offset, a.bytes()));
                   add_operands(a, l, write);
                   log_.add(number, std::move(write));
                 }
               });
  log_.next();
  if (!log_.wants_statements()) return;
  for (int64_t l = 0; l < a.lanes; ++l)
    if (a.touches(l)) wrote(span, a.memory, a.offsets[l], a.base, 1);
}

}  // namespace

Observer log_writes(TileBlock& block, WriteLog& log) {
  return std::make_unique<TileLog>(block, log);
}

}  // namespace tilelab::sim
