// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/logged.h"

#include <cstring>

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

/// The position in the box of the element at `offset` of the memory; nullopt: not in it.
std::optional<Position> position_in(const ResolvedBox& s, int64_t offset) {
  Position at;
  for (size_t d = 0; d < s.lo.size(); ++d) {
    const int64_t stride = s.memory->strides[d];
    if (stride <= 0) return std::nullopt;
    const int64_t index = offset / stride;
    offset %= stride;
    at.push_back(index - s.lo[d]);
    if (at.back() < 0 || at.back() >= s.extent(d)) return std::nullopt;
  }
  return at;
}

}  // namespace

void TileLog::forget(const TileRunner* who) {
  std::erase_if(loaded, [&](const auto& entry) { return entry.second.who == who; });
}

MemoryPlace TileLog::place(const TileMemory& m, int64_t offset) const {
  const int64_t byte = offset * elem_bytes(m.elem);
  if (m.global >= 0) return {m.name, byte};
  return {Symbol(), m.at + byte, log.this_launch(), log.this_block()};
}

LoggedValue TileLog::value(const TileMemory& m, int64_t offset, uint64_t bits) const {
  LoggedValue v;
  v.buffer = m.name, v.scope = scope_text(m.scope);
  v.element = element_text(m, m.per_lane ? offset % m.elements : offset);
  v.place = place(m, offset), v.dtype = m.elem, v.bits = bits;
  return v;
}

void Operands::add(const ResolvedBox& region, const Position& at, const char* role) {
  const TileMemory& m = *region.memory;
  int64_t offset = 0;
  bool outside = false;
  std::string element;
  for (size_t d = 0; d < region.lo.size(); ++d) {
    const int64_t index = region.lo[d] + at[d];
    outside |= index < 0 || index >= m.shape[d];
    element += (d ? ", " : "") + std::to_string(index);
    offset += index * m.strides[d];
  }
  LoggedValue v =
      log_.value(m, offset, outside ? m.safe : bits_at(region.base, offset, region.bytes()));
  v.element = "[" + element + "]", v.outside = outside, v.role = role;
  to_.push_back(std::move(v));
}

// ---- boxes

LoggedBox::LoggedBox(TileBlock& block, const Span& span, const char* how, const ResolvedBox& target,
                     FunctionRef<void(const Position&, Operands&)> operands)
    : log_(block.log()), span_(span), target_(target) {
  if (!log_) return;
  WriteLog& log = log_->log;
  const TileMemory& m = *target.memory;
  const int64_t first = m.global >= 0 ? 0 : m.at, bytes = m.elements * target.bytes();
  log.for_watched(m.global >= 0 ? m.name : Symbol(), first, bytes, [&](size_t number) {
    const int64_t offset = (log.watched[number].place.byte - first) / target.bytes();
    const std::optional<Position> at = position_in(target, offset);
    if (!at) return;
    LoggedWrite write;
    write.span = span, write.how = how;
    write.to = log_->value(m, offset, 0);
    Operands list(*log_, write.of);
    operands(*at, list);
    watched_.push_back({number, std::move(write)});
  });
}

LoggedBox::~LoggedBox() {
  if (!log_) return;
  const int64_t now = log_->log.next();
  for (auto& [number, write] : watched_) {
    const int64_t byte = log_->log.watched[number].place.byte;
    const TileMemory& m = *target_.memory;
    write.when = now;
    write.to.bits = bits_at(target_.base, (byte - (m.global >= 0 ? 0 : m.at)) / target_.bytes(),
                            target_.bytes());
    log_->log.add(number, std::move(write));
  }
  if (log_->log.wants_statements()) log_statement();
}

void LoggedBox::log_statement() const {
  const TileMemory& m = *target_.memory;
  const int64_t bytes = target_.bytes();
  for_each_run(target_, [&](int64_t offset, int64_t n, int64_t stride) {
    const int64_t together = stride == 1 ? n : 1;
    for (int64_t i = 0; i < n; i += together)
      log_->log.wrote(span_, m.name, m.elem, m.global >= 0,
                      log_->place(m, offset + i * stride).byte,
                      target_.base + (offset + i * stride) * bytes, together, int(bytes),
                      m.global >= 0 ? 0 : m.at);
  });
}

// ---- lanes

/// After a load of all active lanes, whose addresses are in offsets_.
void TileRunner::log_load(const CallSite& site, const TileAccess& access, const uint8_t* values) {
  const TileMemory& m = block_.memory(access.memory);
  TileLog::Loaded& to = block_.log()->loaded[site.numbers[0]];
  const size_t n = size_t(lanes_);
  if (to.who != this || to.known.size() != n)
    to = {this,
          &m,
          std::vector<uint8_t>(n),
          std::vector<uint8_t>(n),
          std::vector<int64_t>(n),
          std::vector<uint64_t>(n)};
  const int64_t bytes = elem_bytes(m.elem);
  for (size_t l = 0; l < size_t(chunk_); ++l) {
    if (!mask()[l]) continue;
    to.known[l] = 1, to.outside[l] = outside_[l], to.offsets[l] = offsets_[l];
    to.values[l] = bits_at(values, int64_t(l), bytes);
  }
}

/// The loads on which the value of an access depends in a lane.
void TileRunner::log_operands(const TileAccess& access, size_t lane, LoggedWrite& write) {
  for (int32_t use : access.uses) {
    auto found = block_.log()->loaded.find(use);
    if (found == block_.log()->loaded.end()) continue;
    const TileLog::Loaded& of = found->second;
    size_t l = of.who == this ? lane : 0;
    while (of.who != this && l + 1 < of.known.size() && !of.known[l]) ++l;
    if (!of.known[l]) continue;
    LoggedValue v = block_.log()->value(*of.memory, of.offsets[l], of.values[l]);
    if (of.outside[l]) v.element = "[...]", v.outside = true;
    write.of.push_back(std::move(v));
  }
}

/// After a store or an atomic of the active lanes, whose addresses are in offsets_.
void TileRunner::log_store(const TileAccess& access, const char* how) {
  const TileMemory& m = block_.memory(access.memory);
  WriteLog& log = block_.log()->log;
  const int64_t bytes = elem_bytes(m.elem), first = first_iteration();
  const uint8_t* base = block_.base(access.memory);
  const int64_t begin = m.global >= 0 ? 0 : m.at;
  auto stored = [&](size_t l) { return mask()[l] && !outside_[l]; };
  const int64_t copies = m.per_lane ? lanes_ : 1;
  log.for_watched(m.global >= 0 ? m.name : Symbol(), begin, m.elements * copies * bytes,
                  [&](size_t number) {
                    const int64_t offset = (log.watched[number].place.byte - begin) / bytes;
                    for (size_t l = 0; l < size_t(chunk_); ++l) {
                      if (!stored(l) || offsets_[l] != offset) continue;
                      LoggedWrite write;
                      write.when = log.next_number(), write.span = span();
                      write.how = how, write.actor = lane_name(first + int64_t(l));
                      write.to = block_.log()->value(m, offset, bits_at(base, offset, bytes));
                      log_operands(access, l, write);
                      log.add(number, std::move(write));
                    }
                  });
  log.next();
  if (!log.wants_statements()) return;
  for (size_t l = 0; l < size_t(chunk_); ++l)
    if (stored(l))
      log.wrote(span(), m.name, m.elem, m.global >= 0, block_.log()->place(m, offsets_[l]).byte,
                base + offsets_[l] * bytes, 1, int(bytes), begin);
}

}  // namespace tilelab::sim
